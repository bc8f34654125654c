/** How CI and batch engines tell each of many equal jobs which one it is. Kubernetes tells no count. */
const ENGINES = [
  { index: 'JOB_COMPLETION_INDEX', count: 'JOB_COMPLETIONS', first: 0 },
  { index: 'AWS_BATCH_JOB_ARRAY_INDEX', count: 'AWS_BATCH_JOB_ARRAY_SIZE', first: 0 },
  { index: 'BUILDKITE_PARALLEL_JOB', count: 'BUILDKITE_PARALLEL_JOB_COUNT', first: 0 },
  { index: 'CIRCLE_NODE_INDEX', count: 'CIRCLE_NODE_TOTAL', first: 0 },
  { index: 'CI_NODE_INDEX', count: 'CI_NODE_TOTAL', first: 1 },
] as const;

/**
 * The part that this job has, as its engine numbers it: `2/4`.
 * @returns what is missing, in an `error`, if nothing says so
 */
export function shardOfJob(env: Readonly<Record<string, string | undefined>>): string | { readonly error: string } {
  const engine = ENGINES.find(({ index }) => env[index]);
  if (engine === undefined) {
    return { error: `is "auto", and no variable numbers this job (${ENGINES.map(({ index }) => index).join(', ')})` };
  }
  const { index, count, first } = engine;
  if (!env[count]) return { error: `is "auto", and ${count} does not say of how many jobs ${index} numbers this one` };
  return `${Number(env[index]) + 1 - first}/${env[count]}`;
}
