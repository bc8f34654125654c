import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
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

const shardIn = (env: Readonly<Record<string, string>>) => {
  vi.unstubAllEnvs();
  for (const [name] of ENGINES.flatMap(([, variables]) => Object.entries(variables))) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return parseConfig({ shard: 'auto' }, { folder: '/' }).shard;
};
const ENGINES = [
  ['an indexed job of Kubernetes', { JOB_COMPLETION_INDEX: '2', JOB_COMPLETIONS: '4' }],
  ['AWS Batch', { AWS_BATCH_JOB_ARRAY_INDEX: '2', AWS_BATCH_JOB_ARRAY_SIZE: '4' }],
  ['Buildkite', { BUILDKITE_PARALLEL_JOB: '2', BUILDKITE_PARALLEL_JOB_COUNT: '4' }],
  ['CircleCI', { CIRCLE_NODE_INDEX: '2', CIRCLE_NODE_TOTAL: '4' }],
  ['GitLab', { CI_NODE_INDEX: '3', CI_NODE_TOTAL: '4' }],
] as const;
afterAll(() => vi.unstubAllEnvs());

test.each(ENGINES)('shard auto is the part that %s gives this job', (_, env) => {
  expect(shardIn(env)).toEqual({ index: 3, count: 4 });
});

test.each([
  ['no engine', {}, 'no variable numbers this job'],
  ['an index without a count', { JOB_COMPLETION_INDEX: '0' }, 'JOB_COMPLETIONS does not say of how many jobs'],
  ['a job beyond the count', { CI_NODE_INDEX: '5', CI_NODE_TOTAL: '4' }, 'there is no part 5 of 4'],
  ['a number that is none', { CI_NODE_INDEX: 'x', CI_NODE_TOTAL: '4' }, 'expected a part such as 2/4'],
] as const)('shard auto never guesses: %s is an error', (_, env, told) => {
  expect(() => shardIn(env)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', evidence: [expect.stringContaining(told)] }),
  );
});
