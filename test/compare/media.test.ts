import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import type { Json } from '../../src/json/index.ts';

const at = '2026-11-22T10:00:00.000Z';
const inline = (content: string) => `data:image/png;base64,${Buffer.from(content).toString('base64')}`;
const reference = (content: string, source = 'base64_data_uri') => {
  const id = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return `@@@langfuseMedia:type=image/png|id=${id}|source=${source}@@@`;
};

function result(output: Json): Json | undefined {
  const tool = { id: 't', parentId: null, type: 'tool' as const, name: 'photo', startTime: at, endTime: at, output };
  return trajectoryOf({ observations: [tool] }).steps.find(({ kind }) => kind === 'result')?.value;
}

test.each<[string, (image: string) => Json]>([
  ['as a value', (image) => ({ image, size: 7 })],
  ['within a text', (image) => `see ${image} and ${image}`],
  ['within JSON in text', (image) => [{ text: JSON.stringify({ image }) }]],
])('a file inline and a reference to it are the same value, and another file is another: %s', (_, holding) => {
  const recorded = result(holding(inline('pixels')));
  expect(result(holding(reference('pixels')))).toEqual(recorded);
  expect(result(holding(reference('pixels', 'bytes')))).toEqual(recorded);
  expect(JSON.stringify(recorded)).not.toContain('base64,');
  expect(result(holding(inline('others')))).not.toEqual(recorded);
  expect(result(holding(reference('others')))).not.toEqual(recorded);
});
