import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { outcomes } from '../outcomes.ts';
import { compare } from './agents.ts';

function calling(page: Json, answer: { readonly output?: Json } = { output: 'Done.' }): Recording {
  const at = '2026-01-01T00:00:00.000Z';
  const root = { id: 'root', parentId: null, type: 'agent', name: 'turn', startTime: at, endTime: at } as const;
  const call = { ...root, id: 'call', parentId: 'root', type: 'tool', name: 'search', input: { page }, output: 'ok' };
  return { observations: [root, call], ...answer } as Recording;
}

test('a number within what is tolerated is as recorded, one beyond it is not', () => {
  const tolerance = { 'tool:search/args/page': 0.5 };
  expect(compare(calling(1), calling(1.4), { tolerance }).verdict).toBe(outcomes.asRecorded);
  expect(compare(calling(1), calling(1.6), { tolerance }).verdict).toBe(outcomes.changed);
});

test('an answer that is lost, or came where none was, is a divergence', () => {
  for (const none of [{}, { output: null }]) {
    expect(compare(calling(1), calling(1, none)).verdict).toBe(outcomes.changed);
    expect(compare(calling(1, none), calling(1)).verdict).toBe(outcomes.changed);
  }
});

test('of an answer that is lost the end is told, as behaviour', () => {
  const ends = (recorded: Recording, replayed: Recording) => compare(recorded, replayed).divergence;
  expect(ends(calling(1), calling(1, {}))).toMatchObject({ kind: 'end', severity: 'behaviour', change: 'removed' });
  expect(ends(calling(1, {}), calling(1))).toMatchObject({ kind: 'end', severity: 'behaviour', change: 'added' });
});
