import { outcomeIn } from '../../chat/index.ts';
import { isJsonObject, type Json, spelledOut } from '../../json/index.ts';
import { isTool, type Observation, type Recording } from '../../trace/index.ts';
import type { Step } from '../shapes/step.ts';
import { sameValue } from '../values/canonical.ts';
import { callsWithOutcomes } from './calls.ts';
import { trajectoryOf } from './recorded-steps.ts';
import { isFailed } from './tree.ts';

export interface RecordedCall {
  readonly name: string;
  /** As the model asked for it, and, if different, as the tool received it: one or two. */
  readonly arguments: readonly Json[];
  /** Undefined if the recording does not show it. */
  readonly outcome: { readonly result: Json } | { readonly error: string } | undefined;
  /** A model below the tool wrote the result. */
  readonly isSubAgent: boolean;
}

/** The tool calls of a turn in the order of its steps, including those of sub-agents. */
export function recordedCalls(recording: Recording): RecordedCall[] {
  const { steps, modelCalls } = trajectoryOf(recording);
  const observations = new Map(recording.observations.map((each) => [each.id, each]));
  const owners = new Set(modelCalls.map(({ owner }) => owner));
  return callsWithOutcomes(steps).map(({ call, outcome }) => {
    const observation = observations.get(call.observationId ?? '');
    const tool = observation && isTool(observation) ? observation : undefined;
    return {
      name: call.name ?? '',
      arguments: argumentsOf(call, tool),
      outcome: tool === undefined ? outcomeOf(outcome) : (outcomeOfTool(tool) ?? outcomeOf(outcome)),
      isSubAgent: tool !== undefined && owners.has(tool.id),
    };
  });
}

function argumentsOf({ value = null }: Step, tool: Observation | undefined): Json[] {
  const given = spelledOut(tool?.input);
  return given === undefined || sameValue(given, value) ? [value] : [value, given];
}

function outcomeOf(step: Step | undefined): RecordedCall['outcome'] {
  if (step?.value === undefined) return undefined;
  if (step.kind === 'result') return { result: step.value };
  return { error: typeof step.value === 'string' ? step.value : JSON.stringify(step.value) };
}

function outcomeOfTool(tool: Observation): RecordedCall['outcome'] {
  const { output, statusMessage } = tool;
  if (isFailed(tool)) return { error: statusMessage ?? (typeof output === 'string' ? output : 'error') };
  if (output === undefined) return undefined;
  // The result of an MCP tool is passed on as it is, but not a message that a framework wrapped around it.
  const isOfMcp = isJsonObject(output) && Array.isArray(output.content) && !('role' in output || 'type' in output);
  const result = isOfMcp ? output : outcomeIn(output);
  return result === undefined ? undefined : { result };
}
