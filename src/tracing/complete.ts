import { given, putOut } from '../chat/index.ts';
import type { Observation } from '../contract/index.ts';
import type { TraceRecord } from './record.ts';

/** How far a trace has come. */
export interface Progress {
  /**
   * What should have come, in words; empty when the trace is complete. It may never come: a root or parent that the
   * agent filters out of its export, the end of an observation that nobody ends, the result of a tool call that
   * nobody executes (a client-side tool, structured output, a step limit).
   */
  readonly missing: readonly string[];
  /**
   * One span of the agent's own is around everything and has ended, and calls and their observations match one to one:
   * nothing can follow. Where they do not, an export may be under way whose end the SDK's flush did not await.
   */
  readonly isWholeTurn: boolean;
  /** A root is there, also one that the platform made up. */
  readonly hasRoot: boolean;
  /** A model call is there, and every tool that ran under an id was asked for: nothing hints at a call still to come. */
  readonly areCallsMatched: boolean;
}

/** Judges what has come of one run. Pure: the same records give the same answer. */
export function progressOf(records: readonly TraceRecord[]): Progress {
  const observations = records.flatMap(({ observation }) => observation ?? []);
  const ids = new Set(observations.map(({ id }) => id));
  const roots = records.filter(({ isRoot }) => isRoot);
  const unseen = new Set<string>();
  for (const { isRoot, observation } of records) {
    const parentId = observation?.parentId ?? null;
    if (!isRoot && parentId !== null && !ids.has(parentId)) unseen.add(parentId);
  }
  const { unanswered, areObserved } = matchCalls(observations);
  return {
    missing: [
      ...(roots.length === 0 ? ['the root span'] : []),
      ...[...unseen].map((id) => `the parent span ${id}`),
      ...observations.filter(isRunning).map(({ type, name }) => `the end of ${type} "${name}"`),
      ...unanswered,
    ],
    isWholeTurn: roots.length === 1 && roots[0]?.observation !== undefined && !roots[0].isModelCall && areObserved,
    hasRoot: roots.length > 0,
    areCallsMatched: areObserved && observations.some(({ type }) => type === 'generation'),
  };
}

/** With an output it has done its work: users of the older SDK often leave the end out. */
function isRunning({ type, endTime, output }: Observation): boolean {
  return endTime === null && output === undefined && type !== 'event';
}

/**
 * A call is answered by an observation with its id, by a tool or span with its name and no id (each answers one call),
 * or by a generation that was given its result. The last proves that it ran, not that its observation has come.
 */
function matchCalls(observations: readonly Observation[]): { unanswered: string[]; areObserved: boolean } {
  const generations = observations.filter(({ type }) => type === 'generation');
  // What the provider carried out itself has no observation of its own.
  const calls = generations.flatMap(({ output }) => putOut(output).calls.filter(({ result }) => result === undefined));
  const executed = new Set<string>();
  const unnamed = new Map<string, number>();
  for (const { type, callId, name } of observations) {
    if (callId !== undefined) executed.add(callId);
    else if (type === 'tool' || type === 'span') unnamed.set(name, (unnamed.get(name) ?? 0) + 1);
  }
  const unobserved = calls.filter(({ id, name }) => {
    if (id !== undefined && executed.has(id)) return false;
    const left = unnamed.get(name) ?? 0;
    if (left > 0) unnamed.set(name, left - 1);
    return left === 0;
  });
  const asked = new Set(calls.map(({ id }) => id));
  const areObserved = unobserved.length === 0 && [...executed].every((id) => asked.has(id));
  if (unobserved.length === 0) return { unanswered: [], areObserved };
  const answered = new Set(generations.flatMap(({ input }) => given(input).results.map(({ id }) => id)));
  const unanswered = unobserved
    .filter(({ id }) => id === undefined || !answered.has(id))
    .map(({ id, name }) => `the result of tool call "${name}"${id === undefined ? '' : ` (${id})`}`);
  return { unanswered, areObserved };
}
