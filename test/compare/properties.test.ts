import { expect, test } from 'vitest';
import type { CompareRules, Difference } from '../../src/compare/index.ts';
import { comparableSteps } from '../../src/compare/keys/identities.ts';
import { keyedSteps } from '../../src/compare/keys/keys.ts';
import { MAX_DIFFERENCES } from '../../src/compare/shapes/result.ts';
import { strictness as strictnessLevels } from '../../src/compare/shapes/rules.ts';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import { compareTurn, TurnComparator } from '../../src/compare/turn.ts';
import { isJsonObject, type Json } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import {
  type Agent,
  agent,
  callsOf,
  compare,
  firstOf,
  PLANTS,
  type Plant,
  plant,
  RUNS,
  record,
  rendering,
  rules,
  sequentialAgent,
  stepOfCall,
} from './agents.ts';

const many = { numRuns: RUNS };

test('reflexive: a run is as recorded at every strictness', () => {
  fc.assert(
    fc.property(agent, rendering, fc.constantFrom(...strictnessLevels.options), (of, how, level) => {
      const recording = record(of, how);
      expect(compare(recording, recording, { strictness: level }, of.request).verdict).toBe(outcomes.asRecorded);
    }),
    many,
  );
});

test('the steps of an agent are its calls, results, texts and answer, whatever SDK told of it', () => {
  fc.assert(
    fc.property(agent, rendering, (of, how) => {
      const { steps } = trajectoryOf(record(of, { ...how, spelling: 'plain', shuffle: 0 }));
      const expected = of.acts.flatMap(({ thought, calls }) => [
        ...(thought === '' ? [] : ['text']),
        ...calls.flatMap(({ tool, failed }) => [
          `call ${tool}`,
          // Told by messages alone, a failure is a result.
          `${failed && how.shape !== 'untold' ? 'error' : 'result'} ${tool}`,
        ]),
      ]);
      expect(steps.map(({ kind, name }) => (name === undefined ? kind : `${kind} ${name}`))).toEqual([
        ...expected,
        'final',
      ]);
      const numbers = of.acts.flatMap(({ calls }) => calls.map(({ args }) => args.no));
      expect(steps.filter(({ kind }) => kind === 'call').map(({ value }) => (value as { no: number }).no)).toEqual(
        numbers,
      );
    }),
    many,
  );
});

test('noise changes nothing: ids, clock, arrival, order of parallel calls and keys, spelling of text and numbers', () => {
  fc.assert(
    fc.property(agent, rendering, rendering, (of, one, other) => {
      const [a, b] = [record(of, one), record(of, { ...other, shape: one.shape })];
      const level = one.spelling === other.spelling ? 'exact' : 'wording';
      const { verdict, clusters } = compare(a, b, { strictness: level }, of.request);
      expect({ verdict, differences: clusters[1]?.differences }).toEqual({
        verdict: outcomes.asRecorded,
        differences: undefined,
      });
    }),
    many,
  );
});

const planted = fc
  .record({ of: sequentialAgent, at: fc.nat(1_000), what: fc.constantFrom(...PLANTS) })
  .map(({ of, at, what }) => ({ of, mutation: plant(what, of, at % callsOf(of).length) }));

test('a planted change is the first divergence: its kind, its step, its pointer', () => {
  fc.assert(
    fc.property(planted, rendering, rendering, ({ of, mutation }, one, other) => {
      const { kind, call, change, pointer } = mutation;
      const how = { ...other, shape: one.shape };
      const divergence = firstOf(
        compare(record(of, one), record(mutation.agent, how), { strictness: 'steps' }, of.request),
      );
      const step = stepOfCall(of, call) + (kind === 'result' ? 1 : 0);
      expect(divergence).toMatchObject({
        kind,
        ...(kind === 'call-extra' ? { replayedStep: step } : { recordedStep: step }),
        ...(change === undefined ? {} : { change }),
        ...(pointer === undefined ? {} : { pointer }),
      });
    }),
    many,
  );
});

const IN_PLACE = PLANTS.filter((what) => what !== 'a call more' && what !== 'another answer');

test('also among parallel calls that generate ids, a planted change is the first divergence, where that call sorts', () => {
  fc.assert(
    fc.property(
      agent.filter((of) => callsOf(of).some(({ failed }) => !failed)),
      fc.nat(1_000),
      fc.constantFrom(...IN_PLACE),
      rendering,
      rendering,
      (of, at, what, one, other) => {
        const able = [...callsOf(of).entries()].filter(([, { failed }]) => !failed);
        const [nth, call] = able[at % able.length] as (typeof able)[number];
        const { agent: changed, kind, pointer } = plant(what, of, nth);
        const [recorded, replayed] = [record(of, one), record(changed, { ...other, shape: one.shape })];
        const comparator = new TurnComparator([recorded], rules(), { requested: 1, request: of.request });
        const steps = comparator.behaviour(0)?.steps ?? [];
        const step = 1 + steps.findIndex((each) => each.kind === 'call' && isNumbered(each.value, call.args.no));
        const divergence = firstOf(compare(recorded, replayed, { strictness: 'steps' }, of.request));
        expect(divergence).toMatchObject({
          kind,
          recordedStep: kind === 'result' ? step + 1 : step,
          ...(pointer === undefined ? {} : { pointer }),
        });
      },
    ),
    many,
  );
});

function isNumbered(value: Json | undefined, no: Json | undefined): boolean {
  return isJsonObject(value) && value.no === no;
}

const SWAPPED: Record<string, string> = {
  'call-missing': 'call-extra',
  'call-extra': 'call-missing',
  added: 'removed',
  removed: 'added',
};

test('exchanging the sides exchanges missing and extra, added and removed, and nothing else', () => {
  fc.assert(
    fc.property(agent, agent, rendering, (of, another, how) => {
      const [a, b] = [record(of, how), record(another, how)];
      const forth = compare(a, b, { strictness: 'exact' }).clusters[1]?.differences ?? [];
      const back = compare(b, a, { strictness: 'exact' }).clusters[1]?.differences ?? [];
      if (forth.length === MAX_DIFFERENCES) return;
      const told = ({ kind, change, pointer, recordedStep, replayedStep }: Difference) =>
        JSON.stringify([kind, change, pointer, recordedStep, replayedStep]);
      const exchanged = back.map((each) => ({
        ...each,
        kind: (SWAPPED[each.kind] ?? each.kind) as Difference['kind'],
        ...(each.change === undefined ? {} : { change: (SWAPPED[each.change] ?? each.change) as 'value' }),
        recordedStep: each.replayedStep,
        replayedStep: each.recordedStep,
      }));
      expect(exchanged.map(told).sort()).toEqual(forth.map(told).sort());
    }),
    many,
  );
});

test('what differs at a strictness without tolerance is told of: as many clusters as ways to behave', () => {
  fc.assert(
    fc.property(agent, agent, rendering, fc.constantFrom('exact', 'wording'), (of, another, how, strictness) => {
      // Nothing of one run is in the other, so that some step differs wherever they part.
      const { clusters, verdict } = compare(record(of, how), record(another, how), { strictness });
      const keys = (agentOf: Agent) => keysOf(record(agentOf, how), { strictness });
      expect(verdict).toBe(keys(of) === keys(another) ? outcomes.asRecorded : outcomes.changed);
      for (const { divergence, runs } of clusters.slice(1)) if (runs.length > 0) expect(divergence).not.toBeNull();
    }),
    many,
  );
});

test('a looser strictness never adds a divergence nor moves it earlier', () => {
  fc.assert(
    fc.property(agent, fc.oneof(agent, fc.nat(200)), rendering, (of, other, how) => {
      const replay = record(typeof other === 'number' ? similar(of, other) : other, how);
      const levels = strictnessLevels.options.map((strictness) => compare(record(of, how), replay, { strictness }));
      const all = levels[0]?.clusters[1]?.differences ?? [];
      if (all.length === MAX_DIFFERENCES) return;
      const places = levels
        .map(firstOf)
        .map((divergence) =>
          divergence === null ? Number.POSITIVE_INFINITY : all.findIndex((each) => place(each) === place(divergence)),
        );
      expect(places).not.toContain(-1);
      expect(places).toEqual(places.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    }),
    many,
  );
});

test('stricter levels refine clusters', () => {
  fc.assert(
    fc.property(agent, fc.array(fc.nat(40), { minLength: 2, maxLength: 3 }), rendering, (of, edits, how) => {
      const replays = edits.map((nth, index) => ({
        run: index + 1,
        recording: record(similar(of, nth), { ...how, seed: index }),
      }));
      const levels = strictnessLevels.options.map((strictness) =>
        compareTurn([record(of, how)], replays, rules({ strictness })),
      );
      for (const [index, { clusters }] of levels.entries()) {
        const looser = levels[index + 1]?.clusters.map(({ runs }) => runs) ?? [];
        if (looser.length === 0) continue;
        for (const { runs } of clusters)
          expect(looser.some((all) => runs.every((run) => all.includes(run)))).toBe(true);
      }
    }),
    many,
  );
});

test('clusters are a partition of the runs, whatever order they came in, to the byte', () => {
  fc.assert(
    fc.property(
      agent,
      fc.array(fc.nat(200), { minLength: 1, maxLength: 5 }),
      rendering,
      fc.nat(),
      (of, edits, how, seed) => {
        const replays = edits.map((nth, index) => ({
          run: index + 1,
          recording: record(similar(of, nth % 40), { ...how, seed: index, startMs: how.startMs + index }),
        }));
        const shuffled = replays
          .map((each, index) => ({ each, key: Math.imul(seed + index, 0x9e3779b1) % 1000 }))
          .sort((a, b) => a.key - b.key)
          .map(({ each }) => each);
        const [one, other] = [replays, shuffled].map((runs) => compareTurn([record(of, how)], runs, rules()));
        expect(JSON.stringify(other)).toBe(JSON.stringify(one));
        const all = one?.clusters.flatMap(({ runs }) => runs) ?? [];
        expect(all.toSorted((a, b) => a - b)).toEqual(replays.map(({ run }) => run));
      },
    ),
    many,
  );
});

/** The agent with one change that the number stands for. */
function similar(of: Agent, nth: number): Agent {
  const calls = callsOf(of).length;
  return calls === 0 ? of : plant(PLANTS[nth % PLANTS.length] as Plant, of, nth % calls).agent;
}

function place({ kind, recordedStep, replayedStep, pointer }: Difference): string {
  return JSON.stringify([kind, recordedStep, replayedStep, pointer]);
}

/** What a run looks like at a strictness, in one text. */
function keysOf(recording: Recording, given: Partial<CompareRules>): string {
  const entries = comparableSteps(trajectoryOf(recording), rules(given), undefined, undefined);
  const steps = entries.map(({ named }) => named);
  return keyedSteps(steps, rules(given))
    .map(({ key }) => key)
    .filter((key) => key !== null)
    .join('\n');
}
