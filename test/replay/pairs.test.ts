import { expect, test } from 'vitest';
import { openReplays, replayOptions } from '../../src/replay/index.ts';
import { json, serve, sessionOf } from './served.ts';

const SESSIONS = [sessionOf('a', 'one', 'two'), sessionOf('b', 'three')];

test.each([{}, { context: 'sequence' }] as const)(
  'two agents are asked the same one right after the other, whatever the order of calls: %j',
  async (settings) => {
    const asked: string[] = [];
    const serveAs = (side: string) =>
      serve(({ body }, response) => {
        asked.push(`${side} ${keyOf(body)}`);
        json(response, { output: 'x' });
      });
    await using head = await serveAs('head');
    await using base = await serveAs('base');
    const means = { source: null, settings: replayOptions.parse({ runs: 6, workers: 1, ...settings }) };
    await using replays = openReplays({ ...means, target: head.url }, { ...means, target: base.url, side: 'base' });
    const sides = (await Array.fromAsync(replays.round(SESSIONS, true))).map(({ side }) => side);
    expect(sides.filter((side) => side === 'base')).toHaveLength(18);
    expect(asked).toHaveLength(36);
    for (let at = 0; at < asked.length; at += 2) {
      const [one, other] = [asked[at] as string, asked[at + 1] as string];
      expect(one.slice(5)).toBe(other.slice(5));
      expect(one.slice(0, 4)).not.toBe(other.slice(0, 4));
    }
  },
);

/** Which call a request is: `1.t1.r1` of a run id, without the part that nobody can guess. */
function keyOf(body: Record<string, unknown>): string {
  return String(body.svc_replay_run_id).replace(/^\w+-/, '').split('.').slice(0, 3).join('.');
}
