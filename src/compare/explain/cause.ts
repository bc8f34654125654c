import type { Generation } from '../../chat/index.ts';
import type { Json } from '../../contract/index.ts';
import { quotes } from '../excerpt.ts';
import type { Cause, Difference } from '../result.ts';
import { canonical } from '../values/canonical.ts';
import { isOfEnvironment } from './downstream.ts';

/** What a generation was given, as far as it can differ by the agent's own doing: clocks and generated ids masked. */
export interface InputEvidence {
  readonly system: string;
  readonly tools: string;
  readonly model: string;
  /** Canonical values by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

export function inputEvidence(input: Generation, mask: (text: string) => string): InputEvidence {
  return {
    system: mask(input.system),
    tools: canonical(input.tools as Json | undefined),
    model: input.model ?? '',
    parameters: Object.fromEntries(
      Object.entries(input.parameters ?? {}).map(([name, value]) => [name, canonical(value)]),
    ),
  };
}

/**
 * Why two runs part at a difference, as far as the traces tell; no judge.
 * @param recorded what the generation was given out of which the recorded step came; undefined when none is told of
 * @param earlier lesser differences before this one, in order
 */
export function causeOf(
  at: Difference,
  recorded: InputEvidence | undefined,
  replayed: InputEvidence | undefined,
  earlier: readonly Difference[],
): Cause {
  if (isOfEnvironment(at)) {
    return {
      kind: 'environment',
      detail: at.kind === 'error' ? 'the same call ended in another way' : 'same call, other result',
    };
  }
  if (recorded !== undefined && replayed !== undefined) {
    const changes = ownChanges(recorded, replayed);
    if (changes.length > 0) {
      return {
        kind: 'agent',
        changed: changes.map(({ part }) => part),
        detail: changes.map(({ said }) => said).join('; '),
      };
    }
  }
  if (at.kind === 'call-order' && at.atOnce === true)
    return { kind: 'concurrency', detail: 'calls made at once, in another order' };
  if (recorded === undefined || replayed === undefined)
    return { kind: 'unknown', detail: 'the traces hold no model call for it' };
  const before = earlier.findLast(({ severity }) => severity !== 'noise');
  if (before === undefined) return { kind: 'model', detail: 'same input, other output' };
  const step = before.recordedStep ?? before.replayedStep;
  return { kind: 'unknown', detail: `after an earlier ${before.severity} difference at step ${step}` };
}

/** Longest line of a prompt inside a sentence, in characters. */
const MAX_LINE = 100;

function ownChanges(a: InputEvidence, b: InputEvidence): { part: string; said: string }[] {
  const changes: { part: string; said: string }[] = [];
  if (a.system !== b.system)
    changes.push({ part: 'system prompt', said: `its system prompt differs${firstLine(a.system, b.system)}` });
  if (a.tools !== b.tools) changes.push({ part: 'tools', said: 'its tool definitions differ' });
  if (a.model !== b.model)
    changes.push({
      part: 'model',
      said: `its model differs: recorded ${a.model || 'none'}, replayed ${b.model || 'none'}`,
    });
  const names = [...new Set([...Object.keys(a.parameters), ...Object.keys(b.parameters)])].sort();
  const other = names.filter((name) => a.parameters[name] !== b.parameters[name]);
  if (other.length > 0) {
    const each = other.map(
      (name) => `${name} recorded ${a.parameters[name] ?? 'unset'}, replayed ${b.parameters[name] ?? 'unset'}`,
    );
    changes.push({ part: 'parameters', said: `its parameters differ: ${each.join(', ')}` });
  }
  return changes;
}

/** The first line at which two prompts part. */
function firstLine(a: string, b: string): string {
  const [linesA, linesB] = [a.split('\n'), b.split('\n')];
  const at = linesA.findIndex((line, index) => line !== linesB[index]);
  const [lineA, lineB] = [linesA[at === -1 ? linesA.length : at], linesB[at === -1 ? linesA.length : at]];
  const [recorded, replayed] = quotes(lineA, lineB, MAX_LINE);
  return ` at line ${(at === -1 ? linesA.length : at) + 1}: recorded ${recorded}, replayed ${replayed}`;
}
