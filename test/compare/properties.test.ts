import fc from 'fast-check';
import { expect, test } from 'vitest';
import { strictness } from '../../src/compare/index.ts';
import { trajectoryOf } from '../../src/compare/steps.ts';
import { agent, compare, RUNS, record, rendering } from './agents.ts';

const many = { numRuns: RUNS };

test('reflexive: a run is as recorded at every strictness', () => {
  fc.assert(
    fc.property(agent, rendering, fc.constantFrom(...strictness.options), (of, how, level) => {
      const recording = record(of, how);
      expect(compare(recording, recording, { strictness: level }, of.request).verdict).toBe('reproduced');
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
        verdict: 'reproduced',
        differences: undefined,
      });
    }),
    many,
  );
});
