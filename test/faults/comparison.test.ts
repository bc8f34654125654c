import { expect, test } from 'vitest';
import { compareRules } from '../../src/compare/index.ts';
import { type Json, parseJson } from '../../src/json/index.ts';
import { parsePin } from '../../src/session/index.ts';
import { command } from '../cli/command.ts';
import { projectWith } from '../cli/project.ts';
import { compareTurn } from '../compare/compare-turn.ts';
import { outcomes } from '../outcomes.ts';

test('fault 28: an agent that is not the same from run to run varies, with k of N, and no crash', async () => {
  await using project = await projectWith({ sessions: { one: 'varies' } });
  const { code, stdout } = await command(['run', '--runs', '6'], { cwd: project.path });
  expect(code).toBe(1);
  const { sessions } = (await project.report()).results;
  const comparison = sessions[0]?.turns[0]?.comparison;
  expect([outcomes.varies, outcomes.varies]).toContain(sessions[0]?.verdict);
  expect(comparison?.figures).toMatchObject({ n: 6 });
  expect(stdout).toMatch(/^✘ one +\w+ +said +step 3 .* \d of 6$/m);
});

function verdictOf(recorded: string, replayed: string): string {
  const recording = (output: Json) => ({ observations: [], output });
  const replays = [{ run: 1, recording: recording(parseJson(replayed)) }];
  return compareTurn([recording(parseJson(recorded))], replays, compareRules.parse({})).verdict;
}

test.for([
  ['key order', '{"a":1,"b":[1,2]}', '{"b":[1,2],"a":1}', outcomes.asRecorded],
  ['array order', '{"a":[1,2]}', '{"a":[2,1]}', outcomes.changed],
  ['null in the place of a value that is missing', '{"a":1}', '{"a":1,"b":null}', outcomes.changed],
  ['an empty text in the place of null', '{"a":null}', '{"a":""}', outcomes.changed],
] as const)('fault 63: %s', ([, recorded, replayed, verdict]) => {
  expect(verdictOf(recorded, replayed)).toBe(verdict);
  expect(verdictOf(replayed, recorded)).toBe(verdict);
});

test('fault 63: a key that is there twice in a pin is flagged at its line', () => {
  const parsed = parsePin('{\n  "version": 1,\n  "id": "a",\n  "id": "b",\n  "turns": []\n}', 'a.session.json');
  expect('problems' in parsed && parsed.problems[0]).toMatchObject({ code: 'PIN_INVALID', location: { line: 4 } });
});
