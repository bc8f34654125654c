import { expect, test } from 'vitest';
import { differingByDay } from '../../../src/compare/explain/of-the-day.ts';
import type { Json } from '../../../src/json/index.ts';
import type { Recording } from '../../../src/trace/index.ts';
import fc from '../../fast-check.ts';
import { callsOf, compare, PLANTS, plant, RUNS, record, rendering, sequentialAgent } from '../agents.ts';

/** An agent, two ways to trace it that differ by nothing that means something, and a change at one of its calls. */
const planted = fc
  .record({
    agent: sequentialAgent,
    first: rendering,
    second: rendering,
    what: fc.constantFrom(...PLANTS),
    at: fc.nat(),
  })
  .map(({ agent, first, second, what, at }) => {
    const number = at % callsOf(agent).length;
    return {
      what,
      recorded: record(agent, first),
      replayed: record(plant(what, agent, number).agent, { ...second, shape: first.shape }),
      request: agent.request,
    };
  });

function withPrompt(recording: Recording, prompt: string): Recording {
  const edited = (input: Json | undefined) => JSON.parse(JSON.stringify(input).replace('Be kind.', prompt)) as Json;
  return {
    ...recording,
    observations: recording.observations.map((each) =>
      each.type === 'generation' ? { ...each, input: edited(each.input) } : each,
    ),
  };
}

/** A write that comes later is told first, with the cause of what led to it. */
const MODELS_OWN = expect.stringMatching(/^same input as recorded, so not an edit(?: at step \d+)?$/);

test('of one planted change the cause is the tool that answered otherwise, or the model with the same input', () => {
  fc.assert(
    fc.property(planted, ({ what, recorded, replayed, request }) => {
      const cause = compare(recorded, replayed, { strictness: 'steps' }, request).divergence?.cause;
      fc.pre(cause !== undefined);
      expect(cause).toMatchObject(
        what === 'another result' ? { kind: 'environment' } : { kind: 'model', detail: MODELS_OWN },
      );
    }),
    { numRuns: Math.min(RUNS, 500) },
  );
});

test('with an edited prompt the cause of any other change is the agent', () => {
  fc.assert(
    fc.property(planted, ({ what, recorded, replayed, request }) => {
      const edited = withPrompt(replayed, 'Be quick.');
      const cause = compare(recorded, edited, { strictness: 'steps' }, request).divergence?.cause;
      fc.pre(cause !== undefined);
      expect(cause).toMatchObject(
        what === 'another result' ? { kind: 'environment' } : { kind: 'agent', changed: ['system prompt'] },
      );
    }),
    { numRuns: Math.min(RUNS, 300) },
  );
});

const LONG = { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' } as const;

/** Ways in which prompts tell of the present. */
const CLOCKS: ((time: Date) => string)[] = [
  (time) => time.toISOString(),
  (time) => time.toISOString().slice(0, 19).replace('T', ' '),
  (time) => time.toISOString().slice(0, 10),
  (time) => time.toISOString().replace(/[-:]|\.\d+/g, ''),
  (time) => time.toLocaleDateString('en-US', LONG),
  (time) => time.toLocaleDateString('en-GB', LONG),
  (time) => time.toLocaleDateString('de-DE', LONG),
  (time) => time.toLocaleDateString('fr-FR', LONG),
  (time) => time.toLocaleDateString('en-US', { timeZone: 'UTC' }),
  (time) => time.toISOString().slice(11, 16),
  (time) => String(time.getTime()),
  (time) => String(Math.floor(time.getTime() / 1_000)),
];
const DAY = 24 * 60 * 60_000;
const time = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) });
const prompt = fc.record({ before: fc.lorem({ maxCount: 6 }), after: fc.lorem({ maxCount: 6 }) });
const clock = fc.constantFrom(...CLOCKS);

test('a prompt that tells of the present differs by the day, whatever the present and however it is told', () => {
  fc.assert(
    fc.property(prompt, clock, time, time, ({ before, after }, told, first, second) => {
      const at = (now: number) => `${before} ${told(new Date(now))}. ${after}`;
      fc.pre(at(first) !== at(second));
      const clocks = [first, second].map((from) => ({ from, to: from + 3_000 })) as [
        { from: number; to: number },
        never,
      ];
      expect(differingByDay(at(first), at(second), clocks)).toBeDefined();
      // And not if anything else does, too.
      expect(differingByDay(at(first), `${at(second)} Be quick.`, clocks)).toBeUndefined();
    }),
    { numRuns: RUNS },
  );
});

test('a date that does not move with the clock of the run is no value of the day', () => {
  const days = fc.integer({ min: 2, max: 2_000 });
  fc.assert(
    fc.property(time, time, days, fc.boolean(), (first, second, by, isEarlier) => {
      const dateAt = (now: number) => new Date(now).toISOString().slice(0, 10);
      const clocks = [first, second].map((from) => ({ from, to: from + 3_000 })) as [
        { from: number; to: number },
        never,
      ];
      const edited = dateAt(second + (isEarlier ? -by : by) * DAY);
      fc.pre(edited !== dateAt(first));
      expect(differingByDay(`Since ${dateAt(first)}.`, `Since ${edited}.`, clocks)).toBeUndefined();
    }),
    { numRuns: RUNS },
  );
});
