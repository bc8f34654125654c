import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { compareRules, RecordedTurn } from '../../src/compare/index.ts';
import type { Json } from '../../src/json/index.ts';
import { renderPair } from '../../src/report/index.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';

const LABELS = { recorded: 'a', replayed: 'b' };

/** A turn of calls, each with its arguments. */
function turnOf(calls: readonly Json[], output: string): Recording {
  const observations = calls.map((input, index): Observation => {
    const time = new Date(Date.UTC(2026, 0, 1) + index).toISOString();
    const name = `tool${index}`;
    return { id: name, parentId: null, type: 'tool', name, startTime: time, endTime: time, input, output: 'done' };
  });
  return { output, observations };
}

function pairOf(recorded: Recording, replay: Recording) {
  return new RecordedTurn({ recorded }, compareRules.parse({})).pairWith(replay);
}

function rendered(a: Recording, b: Recording, columns: number): string[] {
  return renderPair(pairOf(a, b), LABELS, { columns }).trimEnd().split('\n');
}

test('what differs stands side by side within the width, and what is shared is folded', () => {
  const long = '一'.repeat(200);
  const a = turnOf([{ x: 1 }, { x: long }, { x: 3 }], 'Done.');
  const b = turnOf([{ x: 1 }, { x: `${long}!` }, { x: 3 }], 'Done.');
  const lines = rendered(a, b, 100);
  expect(lines.every((line) => stringWidth(line) <= 100)).toBe(true);
  expect(lines).toContain('  steps 1-2: the same');
  expect(lines).toContain('  steps 4-7: the same');
  expect(lines.find((line) => line.startsWith('3 call tool1'))).toContain(' │ 3 call tool1');
});

test('on a narrow terminal the sides stand one above the other', () => {
  const lines = rendered(turnOf([{ x: 1 }], 'Done.'), turnOf([{ x: 2 }], 'Done.'), 60);
  const at = lines.indexOf('- 1 call tool0 {"x":1}');
  expect(at).toBeGreaterThan(0);
  expect(lines[at + 1]).toBe('+ 1 call tool0 {"x":2}');
  expect(lines[at + 2]).toBe('  ≠ tool0.x: 1 → 2');
});

test('a step that only one side has stands alone, and what an agent wrote acts on no terminal', () => {
  const lines = rendered(turnOf([], 'Done.'), turnOf([{ x: '\u001b[31m::error::' }], 'Done.'), 100);
  const text = lines.join('\n');
  expect(text).toMatch(/^ +│ 1 call tool0/m);
  expect(text).toContain('≠ one more call: tool0');
  expect(text).not.toContain('\u001b');
});

test('of two long texts the place that differs is told, and both stand whole beside each other', () => {
  const text = (days: string, place: string) => {
    const middle = 'We are sorry about it. '.repeat(20);
    return `The refund has been started and takes ${days} days. ${middle}You find the money on ${place}. 配送🎉`;
  };
  const [a, b] = [turnOf([], text('three', 'the card ::error::')), turnOf([], text('ten', 'your account'))];
  const lines = rendered(a, b, 80);
  expect(lines).toContain('  ≠ answer: three → ten');
  expect(lines.join('\n')).toMatch(/the card[\s\S]* │ .*your/);
  const pair = pairOf(a, b);
  const coloured = renderPair(pair, LABELS, { columns: 80, colour: true });
  expect(coloured).toContain('\u001b[31m  ≠ answer');
  expect(stripVTControlCharacters(coloured).trimEnd().split('\n')).toEqual(lines);
});
