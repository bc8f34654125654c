import type { TraceRecord } from './mapping.ts';
import { answeredCallsIn, toolCallsIn } from './tool-calls.ts';

/** What a trace still lacks. It is complete when both lists are empty. */
export interface Gaps {
  /** Observations that are known to run still. A trace with one is never complete. */
  readonly open: readonly string[];
  /**
   * What should have come and may never come: a root or parent that the agent filters out of its export, the result
   * of a tool call that nobody executes (a client-side tool, structured output, a step limit).
   */
  readonly awaited: readonly string[];
  /** The topmost span is the agent's own, so that nothing can follow its end. */
  readonly isWholeTurn: boolean;
}

/** Judges what has come of one run. Pure: the same records give the same gaps. */
export function gapsOf(records: readonly TraceRecord[]): Gaps {
  const ids = new Set(records.map(({ observation }) => observation.id));
  const roots = records.filter(({ isRoot }) => isRoot);
  const open = records
    .filter(({ observation }) => observation.endTime === null && observation.type !== 'event')
    .map(({ observation }) => `the end of ${observation.type} "${observation.name}"`);
  const unseen = new Set<string>();
  for (const { isRoot, observation } of records) {
    if (!isRoot && observation.parentId !== null && !ids.has(observation.parentId)) unseen.add(observation.parentId);
  }
  return {
    open,
    awaited: [
      ...(roots.length === 0 ? ['the root span'] : []),
      ...[...unseen].map((id) => `the parent span ${id}`),
      ...unansweredCalls(records),
    ],
    isWholeTurn: roots.length === 1 && roots[0]?.isModelCall === false,
  };
}

/**
 * A call is answered by a tool observation with its id, by one with its name and no id (each answers one call), or by
 * a generation that was given its result.
 */
function unansweredCalls(records: readonly TraceRecord[]): string[] {
  const generations = records.map(({ observation }) => observation).filter(({ type }) => type === 'generation');
  const calls = generations.flatMap(({ output }) => toolCallsIn(output));
  if (calls.length === 0) return [];
  const executed = new Set<string>();
  const unnamed = new Map<string, number>();
  for (const { observation } of records) {
    if (observation.type !== 'tool') continue;
    if (observation.callId !== undefined) executed.add(observation.callId);
    else unnamed.set(observation.name, (unnamed.get(observation.name) ?? 0) + 1);
  }
  const pending = calls.filter(({ id, name }) => {
    if (id !== undefined && executed.has(id)) return false;
    const left = unnamed.get(name) ?? 0;
    if (left > 0) unnamed.set(name, left - 1);
    return left === 0;
  });
  if (pending.length === 0) return [];
  const answered = new Set(generations.flatMap(({ input }) => [...answeredCallsIn(input)]));
  return pending
    .filter(({ id }) => id === undefined || !answered.has(id))
    .map(({ id, name }) => `the result of tool call "${name}"${id === undefined ? '' : ` (${id})`}`);
}
