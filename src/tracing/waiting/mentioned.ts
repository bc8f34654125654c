import { given, putOut } from '../../chat/index.ts';
import { callsSoFar, type Observation } from '../../trace/index.ts';

export interface MentionedCall {
  readonly id: string | undefined;
  readonly name: string;
}

/** What one generation shows about tool calls. */
export interface Mentioned {
  /** Calls that it asked for, without those that its provider carried out, which have no observation. */
  readonly asked: readonly MentionedCall[];
  /** Calls of the same turn in its input: those after the user's last message. */
  readonly history: readonly MentionedCall[];
  /** Ids of the calls whose results it received. */
  readonly answered: ReadonlySet<string | undefined>;
}

/** Traces are judged again after every span. */
const known = new WeakMap<Observation, Mentioned>();

export function mentionedIn(generation: Observation): Mentioned {
  const before = known.get(generation);
  if (before !== undefined) return before;
  const mentioned: Mentioned = {
    asked: putOut(generation.output).calls.filter(({ result }) => result === undefined),
    history: callsSoFar(generation).map(({ id, function: { name } }) => ({ id, name })),
    answered: new Set(given(generation.input).results.map(({ id }) => id)),
  };
  known.set(generation, mentioned);
  return mentioned;
}

/**
 * The calls without an observation: matched by id first, then by name, each observation once. Agents do not always record
 * the id that their model gave a call.
 */
export function unobserved(
  calls: readonly MentionedCall[],
  observations: readonly Observation[],
): readonly MentionedCall[] {
  if (calls.length === 0) return calls;
  const carriers = observations.filter(({ type }) => !NO_TOOL.has(type));
  const ids = new Set(carriers.map(({ callId }) => callId));
  const rest = calls.filter(({ id }) => id === undefined || !ids.has(id));
  if (rest.length === 0) return rest;
  const found = new Set(calls.map(({ id }) => id));
  const free = new Map<string, number>();
  for (const { name, callId } of carriers) {
    if (callId === undefined || !found.has(callId)) free.set(name, (free.get(name) ?? 0) + 1);
  }
  return rest.filter(({ name }) => {
    const left = free.get(name) ?? 0;
    if (left > 0) free.set(name, left - 1);
    return left === 0;
  });
}

const NO_TOOL: ReadonlySet<Observation['type']> = new Set(['generation', 'embedding', 'event']);
