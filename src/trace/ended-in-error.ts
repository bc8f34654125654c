import type { Recording } from './trace.ts';

/** Whether a turn ended in an error: its root says so, or something in it failed and there is no output. */
export function endedInError({ output, observations }: Recording): boolean {
  const ids = new Set(observations.map(({ id }) => id));
  const isRoot = (parentId: string | null) => parentId === null || !ids.has(parentId);
  return observations.some(
    ({ level, parentId }) => level === 'ERROR' && (isRoot(parentId) || output === undefined || output === null),
  );
}
