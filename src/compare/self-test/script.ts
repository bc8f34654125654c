import { askingFor } from '../../chat/index.ts';
import type { TurnRequest } from '../../contract/index.ts';
import type { Json } from '../../json/index.ts';
import type { Observation, Recording } from '../../trace/index.ts';
import { isOutcome } from '../explain/calls.ts';
import type { CompareRules } from '../rules.ts';
import type { Step } from '../steps/step.ts';
import { trajectoryOf } from '../steps/trajectory.ts';
import { orderedSteps } from '../values/identities.ts';

/** What a turn did, independent of any SDK: it can be edited and rendered as a recording again. */
export interface Script {
  readonly parts: Part[];
  /** The answer; if no output was recorded, the model's last text. */
  final: { value: Json; readonly step: number } | undefined;
  /** Why the turn ended, if not with an answer. */
  readonly end: Json | undefined;
  readonly hasOutput: boolean;
  /** Without a trace there is only the answer. */
  readonly hasTrace: boolean;
  /** The run's own clock, in milliseconds. */
  clock: { readonly from: number; readonly to: number };
  /** Number of steps of all parts; the answer and the end come after them. */
  readonly partSteps: number;
  /** Prefix of the ids of observations. */
  ids: string;
}

export type Part = Message | Call | Failure;

/** One generation: the model's text, and the calls that it asked for. */
export interface Message {
  readonly kind: 'message';
  readonly step: number;
  texts: Json[];
  error?: Json;
  calls: Call[];
}

/** A tool call. A call outside a message is one that no model asked for, as far as the trace shows. */
export interface Call {
  readonly kind: 'call';
  readonly step: number;
  name: string;
  args: Json | undefined;
  callId: string | undefined;
  /** What a sub-agent did between the call and its outcome. */
  readonly inner: Part[];
  outcome: { readonly kind: 'result' | 'error'; value: Json | undefined; readonly step: number } | undefined;
  /** Shared by calls outside messages that ran at the same time. */
  readonly group?: number | undefined;
}

/** Something that failed and is neither a generation nor a tool. */
export interface Failure {
  readonly kind: 'failure';
  readonly step: number;
  value: Json;
}

/** Reads the steps of a recording, numbered as the comparison numbers them. */
export function scriptOf(recording: Recording, rules: CompareRules, request: TurnRequest | undefined): Script {
  const trajectory = trajectoryOf(recording);
  const steps = orderedSteps(trajectory, rules, request);
  const final = steps.findIndex(({ kind }) => kind === 'final');
  const end = steps.find(({ kind }) => kind === 'end');
  const told = steps.filter(({ kind }) => kind !== 'final' && kind !== 'end');
  return {
    parts: partsOf(told, 1),
    final: final === -1 ? undefined : { value: steps[final]?.value ?? null, step: final + 1 },
    end: end?.value,
    hasOutput: recording.output !== undefined,
    hasTrace: recording.observations.length > 0,
    clock: trajectory.clock ?? { from: 0, to: 0 },
    partSteps: told.length,
    ids: 'o',
  };
}

/** All calls in order, including those of sub-agents. */
export function callsOf(parts: readonly Part[]): Call[] {
  return parts.flatMap((part) => {
    if (part.kind === 'failure') return [];
    const calls = part.kind === 'message' ? part.calls : [part];
    return calls.flatMap((call) => [call, ...callsOf(call.inner)]);
  });
}

/** All messages in order, including those of sub-agents. */
export function messagesIn(parts: readonly Part[]): Message[] {
  return parts.flatMap((part) => {
    if (part.kind === 'failure') return [];
    if (part.kind === 'call') return messagesIn(part.inner);
    return [part, ...part.calls.flatMap(({ inner }) => messagesIn(inner))];
  });
}

/** @param first number of the first step */
function partsOf(steps: readonly Step[], first: number): Part[] {
  const parts: Part[] = [];
  let message: { part: Message; generation: number } | undefined;
  for (let index = 0; index < steps.length; ) {
    const step = steps[index] as Step;
    const number = first + index;
    const isAsked = step.generation !== undefined && (step.kind !== 'call' || step.group !== undefined);
    if (!isAsked) message = undefined;
    else if (message?.generation !== step.generation || (step.kind !== 'call' && message.part.calls.length > 0)) {
      message = {
        part: { kind: 'message', step: number, texts: [], calls: [] },
        generation: step.generation as number,
      };
      parts.push(message.part);
    }
    if (step.kind === 'call') {
      const end = outcomeOf(steps, index);
      const call = callAt(steps, index, end, first);
      if (message === undefined) parts.push(call);
      else message.part.calls.push(call);
      index = (end ?? index) + 1;
      continue;
    }
    if (message === undefined) parts.push({ kind: 'failure', step: number, value: step.value ?? null });
    else if (step.kind === 'text') message.part.texts.push(step.value ?? null);
    else message.part.error = step.value ?? null;
    index++;
  }
  return parts;
}

function callAt(steps: readonly Step[], index: number, end: number | undefined, first: number): Call {
  const { name = '', value, callId, group, generation } = steps[index] as Step;
  const outcome = end === undefined ? undefined : steps[end];
  return {
    kind: 'call',
    step: first + index,
    name,
    args: value,
    callId,
    inner: end === undefined ? [] : partsOf(steps.slice(index + 1, end), first + index + 1),
    outcome: outcome && {
      kind: outcome.kind === 'error' ? 'error' : 'result',
      value: outcome.value,
      step: first + (end as number),
    },
    ...(generation === undefined && group !== undefined ? { group } : {}),
  };
}

/** Index of a call's outcome, after the steps of a sub-agent; undefined if there is none. */
function outcomeOf(steps: readonly Step[], index: number): number | undefined {
  const call = steps[index] as Step;
  const isOfCall = (step: Step) =>
    step.name === call.name &&
    step.callId === call.callId &&
    step.group === call.group &&
    step.observationId === call.observationId;
  const at = steps.findIndex((step, place) => place > index && isOfCall(step));
  return at !== -1 && isOutcome(steps[at] as Step) ? at : undefined;
}

/** Renders a script as a recording: one generation per message, followed by its tools. */
export function render(script: Script): Recording {
  const { final, hasOutput, hasTrace } = script;
  const output = hasOutput && final !== undefined ? { output: final.value } : {};
  return { ...output, observations: hasTrace ? new Rendering(script).observations() : [] };
}

/** Ends that the comparison derives from the observations by itself. */
const FOUND_ENDS: ReadonlySet<Json> = new Set(['no output', 'tool calls not executed']);

class Rendering {
  readonly #script: Script;
  readonly #observations: Observation[] = [];
  readonly #groups = new Map<number, Observation[]>();
  #time: number;

  constructor(script: Script) {
    this.#script = script;
    this.#time = script.clock.from;
  }

  observations(): Observation[] {
    const { parts, clock } = this.#script;
    const root = this.#add({ type: 'span', name: 'turn', parentId: null });
    this.#tell(parts, root.id);
    this.#close(root.id);
    root.endTime = iso(Math.max(clock.to, this.#time));
    for (const group of this.#groups.values()) {
      const last = group.at(-1) as Observation;
      for (const each of group) each.endTime = last.endTime;
    }
    return this.#observations;
  }

  #tell(parts: readonly Part[], parentId: string): void {
    for (const part of parts) {
      if (part.kind === 'call') this.#tool(part, parentId);
      else if (part.kind === 'failure') this.#add({ type: 'span', name: 'failed', parentId, ...failed(part.value) });
      else this.#message(part, parentId);
    }
  }

  #message({ texts, calls, error }: Message, parentId: string): void {
    // Neighbouring pieces of text are one text, while two messages are two.
    const told = texts.length > 1 ? texts.map((content) => ({ role: 'assistant', content })) : texts;
    const said = calls.length === 0 ? told : [...told, askingFor(calls.map((call) => ({ ...call, id: call.callId })))];
    // An error that is not a text was the output itself, including texts.
    const failure = error === undefined ? {} : failed(error);
    this.#add({ type: 'generation', name: 'model', parentId, output: said, ...failure });
    for (const call of calls) if (call.outcome !== undefined) this.#tool(call, parentId);
  }

  #tool({ name, args, callId, inner, outcome, group }: Call, parentId: string): void {
    const tool = this.#add({
      type: 'tool',
      name,
      parentId,
      ...(callId === undefined ? {} : { callId }),
      ...(args === undefined ? {} : { input: args }),
      ...(outcome?.kind === 'error' ? failed(outcome.value ?? null) : {}),
      ...(outcome?.kind === 'result' && outcome.value !== undefined ? { output: outcome.value } : {}),
    });
    this.#tell(inner, tool.id);
    tool.endTime = iso(this.#time);
    if (group !== undefined) this.#groups.set(group, [...(this.#groups.get(group) ?? []), tool]);
  }

  /** The last generation gives the answer, so that the end of the turn belongs to no earlier call. */
  #close(parentId: string): void {
    const { parts, final, hasOutput, end } = this.#script;
    const isCutShort = typeof end === 'string' && !FOUND_ENDS.has(end);
    const isAnswer = final !== undefined && !hasOutput;
    // Without generations, overlapping tools count as parallel, so there must be none.
    if (messagesIn(parts).length === 0 && !isCutShort && !isAnswer) return;
    if (end === 'tool calls not executed') return;
    const texts = final === undefined ? [] : [hasOutput ? 'the answer' : final.value];
    const reason = isCutShort ? [{ role: 'assistant', finish_reason: end }] : [];
    this.#add({ type: 'generation', name: 'model', parentId, output: [...texts, ...reason] });
  }

  /** Every observation starts a millisecond after the one before, so that none is ordered by its content. */
  #add(observation: Omit<Observation, 'id' | 'startTime' | 'endTime'>): Observation {
    const added: Observation = {
      id: `${this.#script.ids}${this.#observations.length}`,
      startTime: iso(this.#time),
      endTime: iso(this.#time + 1),
      ...observation,
    };
    this.#time++;
    this.#observations.push(added);
    return added;
  }
}

function failed(value: Json): Pick<Observation, 'level' | 'statusMessage' | 'output'> {
  return typeof value === 'string' ? { level: 'ERROR', statusMessage: value } : { level: 'ERROR', output: value };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
