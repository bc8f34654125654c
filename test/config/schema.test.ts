import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { configOptions, parseConfig } from '../../src/config/index.ts';

test('the published schema knows every setting that is an option, so that editors complete it', async () => {
  const text = await readFile(path.join(import.meta.dirname, '../../schema/config.schema.json'), 'utf8');
  const schema = JSON.parse(text);
  const unknown = configOptions().filter(({ path }) => !path.split('.').reduce(below, [schema]).length);
  expect(unknown).toEqual([]);
});

test.each([
  [{ shard: '3/2' }, 'shard'],
  [{ shard: '0/2' }, 'shard'],
  [{ shard: '2' }, 'shard'],
  [{ shard: '1/3', shardBy: 'runs', runs: 2 }, 'shard'],
] as const)('%j is refused', (input, setting) => {
  let refusal: unknown;
  try {
    parseConfig(input, { folder: '/' });
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toMatchObject({ code: 'CONFIG_INVALID', evidence: [expect.stringMatching(`^${setting}: `)] });
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
}

function below(schemas: readonly Schema[], key: string): Schema[] {
  return schemas
    .flatMap((schema) => [schema, ...(schema.anyOf ?? [])])
    .flatMap(({ properties }) => properties?.[key] ?? []);
}
