import { expect, test } from 'vitest';
import { Pairs } from '../../src/job/running/pairs.ts';
import { ReplayLimits } from '../../src/replay/index.ts';
import { json, replays, serve, sessionOf } from '../replay/served.ts';

const SESSIONS = [sessionOf('a', 'one', 'two'), sessionOf('b', 'three')];
const SIDES = ['head', 'base'] as const;

test.each([{}, { context: 'sequence' }, { order: 'serial' }] as const)(
  'two agents are asked the same one right after the other, whatever the order of calls: %j',
  async (settings) => {
    const asked: string[] = [];
    await using head = await serve(({ body }, response) => {
      asked.push(`head ${keyOf(body)}`);
      json(response, { output: 'x' });
    });
    await using base = await serve(({ body }, response) => {
      asked.push(`base ${keyOf(body)}`);
      json(response, { output: 'x' });
    });
    const pairs = new Pairs(async () => []);
    const limits = new ReplayLimits({ workers: 1 });
    await Promise.all(
      SIDES.map(async (side) => {
        const target = (side === 'head' ? head : base).url;
        const all = replays({
          target,
          sessions: SESSIONS,
          limits,
          byRound: true,
          settings: { runs: 6, workers: 1, ...settings },
          inTurn: (call, over) => pairs.inTurn(side, call, over),
          further: () => pairs.further(side),
        });
        for await (const _ of all);
        pairs.end(side);
      }),
    );
    expect(asked).toHaveLength(36);
    for (let at = 0; at < asked.length; at += 2) {
      const [one, other] = [asked[at] as string, asked[at + 1] as string];
      expect(one.slice(5)).toBe(other.slice(5));
      expect(one.slice(0, 4)).not.toBe(other.slice(0, 4));
    }
  },
);

/** Which call a request is. */
function keyOf(body: Record<string, unknown>): string {
  return String(body.svc_replay_run_id).replace(/^\w+-/, '');
}
