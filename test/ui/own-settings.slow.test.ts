import { expect, test } from 'vitest';
import type { Report } from '../../src/report/index.ts';
import { command } from '../cli/command.ts';
import { projectWith } from '../cli/project.ts';
import { outcomes } from '../outcomes.ts';
import { served } from './project.ts';

test('a session is run and judged by what is its own, where nothing else is chosen', async () => {
  const project = await projectWith({
    // The first one answers otherwise each time.
    sessions: { one: 'varies', two: 'b' },
    config: {
      runs: 3,
      overrides: [{ sessions: 'replays/two*', runs: 4, gate: 'every-run', strictness: 'steps' }],
    },
  });
  const pinned = await command(['pin', '--runs', '5', '--yes', 'replays/*.session.json'], { cwd: project.path });
  expect(pinned.code).toBe(0);
  await using page = await served(project);
  const ask = async <T>(path: string, body?: object) => {
    const response = await fetch(`${page.origin}/api/${path}`, {
      headers: { authorization: `Bearer ${page.token}` },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  };
  interface Detail {
    readonly settings: object;
    readonly past: readonly { readonly id: string }[];
  }
  expect((await ask<Detail>('session?id=one')).settings).toMatchObject({ runs: 3, gate: 'shift' });
  expect((await ask<Detail>('session?id=two')).settings).toMatchObject({ runs: 4, gate: 'every-run' });
  const reportOf = async (session: string, chosen: object = {}): Promise<Report['results']> => {
    const { id } = await ask<{ id: string }>('runs', { session, ...chosen });
    await expect
      .poll(async () => (await ask<Detail>(`session?id=${session}`)).past.map((each) => each.id))
      .toContain(id);
    return (await ask<{ readonly report: Report }>(`result?session=${session}&id=${id}`)).report.results;
  };
  const two = await reportOf('two');
  expect(two.sessions).toMatchObject([{ id: 'two', verdict: outcomes.asRecorded }]);
  expect(two.sessions[0]?.turns[0]?.comparison).toMatchObject({ requested: 4 });
  expect(two.shift).toBeUndefined();
  // One session is a run: its turn is all that the correction counts, and there is no suite of several.
  const one = await reportOf('one');
  expect(one.sessions[0]?.turns[0]?.comparison).toMatchObject({ requested: 3 });
  expect(one.shift).toMatchObject({ recordings: 5 });
  // What is chosen on the page holds for this run.
  expect((await reportOf('two', { runs: 2 })).sessions[0]?.turns[0]?.comparison).toMatchObject({ requested: 2 });
});
