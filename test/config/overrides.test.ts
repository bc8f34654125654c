import { expect, test } from 'vitest';
import { loadConfig, ownSettingsOf, parseConfig, withOwn } from '../../src/config/index.ts';
import { folderWith } from './folder.ts';

const config = (overrides: object[]) => parseConfig({ overrides }, { folder: '/' });

test('of several overrides that match a pin the last one wins, key by key, and no other pin has any of it', () => {
  const settings = config([
    { sessions: 'replays/**', runs: 2, gate: 'every-run', tools: 'recorded' },
    { sessions: ['replays/{a,b}.session.json', './replays/billing/*'], runs: 7, strictness: 'exact' },
    { sessions: 'replays/b.session.json', failOn: { did: ['changed'] } },
  ]);
  const own = ownSettingsOf(settings, 'replays/b.session.json');
  expect(own).toMatchObject({ runs: 7, gate: 'every-run', strictness: 'exact', tools: 'recorded' });
  expect(withOwn(settings, own)).toMatchObject({
    runs: 7,
    gate: 'every-run',
    compare: { strictness: 'exact' },
    failOn: { did: ['changed'] },
    tools: { others: 'recorded' },
  });
  expect(ownSettingsOf(settings, 'replays/billing/x.session.json')).toMatchObject({ runs: 7 });
  expect(ownSettingsOf(settings, 'replays/c.session.json')).not.toHaveProperty('strictness');
  expect(ownSettingsOf(settings, 'other/b.session.json')).toEqual({});
});

test('a file name that looks like a pattern means itself', () => {
  const settings = config([{ sessions: 'replays/[1].session.json', runs: 3 }]);
  expect(ownSettingsOf(settings, 'replays/[1].session.json')).toEqual({ runs: 3 });
});

test('what is given by hand holds for all sessions; what is given with overrides does not', async () => {
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ overrides: [{ sessions: '**', runs: 9, strictness: 'exact' }] }),
  });
  const load = (options: [string, unknown][]) => loadConfig({ cwd: folder.path, options: new Map(options) });
  const own = async (...options: [string, unknown][]) => ownSettingsOf(await load(options), 'a.session.json');
  expect(await own()).toEqual({ runs: 9, strictness: 'exact' });
  expect(await own(['runs', 1])).toEqual({ strictness: 'exact' });
  expect(await own(['compare.strictness', 'steps'])).toEqual({ runs: 9 });
  expect(await own(['runs', 1], ['overrides', [{ sessions: '**', runs: 4 }]])).toEqual({ runs: 4 });
});

test.each([
  [{ sessions: 'a', run: 3 }, 'overrides.0.run: there is no such key; the nearest is runs'],
  [{ runs: 3 }, 'overrides.0.sessions'],
  [{ sessions: 'a', runs: 0 }, 'overrides.0.runs: expected a whole number'],
  [{ sessions: '+(a|b)' }, 'extended group'],
  [{ sessions: 'a', tools: 'never' }, 'overrides.0.tools'],
])('%j is a mistake with its place', (override, told) => {
  expect(() => config([override])).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', evidence: [expect.stringContaining(told)] }),
  );
});
