import type { Json, JsonObject, Observation, Recording } from '../contract/index.ts';
import { byCodeUnit, canonical } from './canonical.ts';
import { type AskedCall, messagesOf, messageText, readGivenResults, readModelOutput, spelledOut } from './messages.ts';
import type { StepKind } from './rules.ts';

/** One thing that the agent did: our unit of behaviour, whatever SDK told of it. */
export interface Step {
  readonly kind: StepKind;
  /** Tool of a call, of its result and of its error. */
  readonly name?: string;
  readonly value?: Json | undefined;
  readonly observationId?: string | undefined;
  /** Of a call and its result: the id under which the model asked for it. */
  readonly callId?: string | undefined;
  /** The calls of one assistant message, with their results, share a number. */
  readonly group?: number;
  /** Index into {@link Trajectory.inputs}: the generation that this came out of. */
  readonly generation?: number | undefined;
}

/** What a generation was given besides the run's own messages. Evidence for the cause, never behaviour. */
export interface OwnInput {
  readonly system: string;
  readonly tools: Json | undefined;
  readonly model: string | undefined;
  readonly parameters: JsonObject | undefined;
}

export interface Trajectory {
  readonly steps: readonly Step[];
  readonly inputs: readonly OwnInput[];
  /** Start and end of the run's own clock, in milliseconds; undefined without observations. */
  readonly clock: { readonly from: number; readonly to: number } | undefined;
  /** Pairs of tools (`a\0b`) that ran at the same time. */
  readonly overlaps: ReadonlySet<string>;
}

/**
 * The steps of one turn, in the order in which the agent took them. Values come by allow-list: arguments, results,
 * texts, the output, errors; never ids, times, usage or metadata.
 * @param options.overlaps pairs of tools that ran at the same time in the original; only there may a trace without
 *   generations have parallel groups
 */
export function trajectoryOf(recording: Recording, options: { overlaps?: ReadonlySet<string> } = {}): Trajectory {
  const walk = new Walk(new Tree(recording.observations), options.overlaps);
  const steps = walk.steps();
  if (recording.output !== undefined) {
    const answered = steps.findLastIndex(({ kind }) => kind === 'text');
    // The last thing that the model said is the answer itself, and the answer is told by the output.
    if (answered > steps.findLastIndex(({ kind }) => kind === 'call')) steps.splice(answered);
    steps.push({ kind: 'final', value: spelledOut(recording.output), generation: walk.lastGeneration });
  } else if (recording.observations.length > 0) {
    const last = steps.at(-1);
    if (last?.kind === 'text') steps[steps.length - 1] = { ...last, kind: 'final' };
  }
  const end = walk.end ?? (recording.output === undefined && steps.at(-1)?.kind !== 'final' ? 'no output' : undefined);
  if (end !== undefined) steps.push({ kind: 'end', value: end, generation: walk.lastGeneration });
  return { steps, inputs: walk.inputs, clock: clockOf(recording.observations), overlaps: walk.overlaps };
}

/** Sub-agents below this many tools are told flat, so that no trace can exhaust the stack. */
const MAX_NESTED_TOOLS = 100;

/** One pass over the observations of a turn. */
class Walk {
  readonly inputs: OwnInput[] = [];
  readonly overlaps: Set<string> = new Set();
  lastGeneration: number | undefined;
  end: string | undefined;
  readonly #tree: Tree;
  readonly #told = new Set<Observation>();
  readonly #groupOf = new Map<Observation, number>();
  /** What generations were given, by call id, until a call takes it. */
  readonly #given = new Map<string, Json[]>();
  readonly #lastGeneration: Observation | undefined;
  #groups = 0;

  constructor(tree: Tree, overlaps: ReadonlySet<string> | undefined) {
    this.#tree = tree;
    const generations = tree.ordered.filter(({ type }) => type === 'generation');
    this.#lastGeneration = generations.at(-1);
    for (const { input } of generations) {
      // Messages accumulate: the generation that was given most of an id's results was given all of them.
      for (const [id, values] of readGivenResults(input)) {
        if (values.length > (this.#given.get(id)?.length ?? 0)) this.#given.set(id, values);
      }
    }
    if (generations.length === 0) this.#findOverlaps(overlaps);
  }

  steps(): Step[] {
    return this.#stepsOf(this.#tree.ordered, 0);
  }

  #stepsOf(observations: readonly Observation[], depth: number): Step[] {
    const steps: Step[] = [];
    for (const observation of observations) {
      if (this.#told.has(observation)) continue;
      this.#told.add(observation);
      if (observation.type === 'generation') steps.push(...this.#generationSteps(observation, depth));
      else if (isTool(observation)) steps.push(...this.#toolSteps(observation, depth));
      else if (isFailed(observation) && !this.#tree.failedBelow.has(observation)) steps.push(errorStep(observation));
    }
    return steps;
  }

  #generationSteps(generation: Observation, depth: number): Step[] {
    const number = this.inputs.push(ownInput(generation)) - 1;
    this.lastGeneration = number;
    const output = readModelOutput(generation.output);
    const steps: Step[] = output.texts.map((value) => ({
      kind: 'text',
      value,
      observationId: generation.id,
      generation: number,
    }));
    if (isFailed(generation)) steps.push({ ...errorStep(generation), generation: number });
    if (output.cutShort !== undefined) this.end = output.cutShort;
    if (output.calls.length === 0) return steps;
    const group = this.#groups++;
    const window = this.#tree.toolsAfter(generation);
    for (const call of output.calls) {
      const tool = this.#claim(call, window);
      const shared = { name: call.name, callId: call.id, group, generation: number };
      const observationId = tool?.id ?? generation.id;
      const args = call.args ?? spelledOut(tool?.input);
      steps.push({ kind: 'call', ...shared, value: args, observationId });
      if (tool !== undefined) steps.push(...this.#innerSteps(tool, depth));
      const outcome = this.#outcomeOf(call.id, tool);
      if (outcome !== undefined) steps.push({ ...outcome, ...shared, observationId });
      else if (generation === this.#lastGeneration) this.end ??= 'tool calls not executed';
    }
    return steps;
  }

  /** The observation of a call: by id, ids that a run uses twice in order; else by name and arguments, else by name. */
  #claim(call: AskedCall, window: readonly Observation[]): Observation | undefined {
    const free = window.filter((each) => !this.#told.has(each));
    const named = free.filter(({ name, callId }) => name === call.name && (callId ?? call.id) === call.id);
    const args = named.length > 1 ? canonical(call.args) : '';
    const claimed =
      (call.id === undefined ? undefined : free.find(({ callId }) => callId === call.id)) ??
      named.find(({ input }) => canonical(spelledOut(input)) === args) ??
      named[0];
    if (claimed !== undefined) this.#told.add(claimed);
    return claimed;
  }

  #outcomeOf(id: string | undefined, tool: Observation | undefined): Step | undefined {
    if (tool !== undefined && isFailed(tool)) return errorStep(tool);
    const given = id === undefined ? undefined : this.#given.get(id)?.shift();
    const value = tool?.output ?? given;
    return value === undefined && tool === undefined ? undefined : { kind: 'result', value: spelledOut(value) };
  }

  /** A call that no model asked for, as far as the trace tells. */
  #toolSteps(tool: Observation, depth: number): Step[] {
    const group = this.#groupOf.get(tool);
    const shared = {
      name: tool.name,
      observationId: tool.id,
      callId: tool.callId,
      generation: this.lastGeneration,
      ...(group === undefined ? {} : { group }),
    };
    const inner = this.#innerSteps(tool, depth);
    const outcome = this.#outcomeOf(tool.callId, tool) as Step;
    return [{ kind: 'call', ...shared, value: spelledOut(tool.input) }, ...inner, { ...outcome, ...shared }];
  }

  /** What ran below a tool, a sub-agent, is told between its call and its result. */
  #innerSteps(tool: Observation, depth: number): Step[] {
    return depth < MAX_NESTED_TOOLS ? this.#stepsOf(this.#tree.below(tool), depth + 1) : [];
  }

  /** Overlap in time makes a group only where no generation tells of one, and only where the original overlaps too. */
  #findOverlaps(known: ReadonlySet<string> | undefined): void {
    const tools = this.#tree.ordered.filter(isTool).sort((a, b) => startOf(a) - startOf(b));
    let open: Observation[] = [];
    for (const tool of tools) {
      open = open.filter((each) => endOf(each) > startOf(tool)).slice(-MAX_OVERLAPPING);
      for (const each of open.filter(({ parentId }) => parentId === tool.parentId)) {
        const pair = [each.name, tool.name].sort(byCodeUnit).join('\0');
        this.overlaps.add(pair);
        if (known !== undefined && !known.has(pair)) continue;
        const group = this.#groupOf.get(each) ?? this.#groups++;
        this.#groupOf.set(each, group);
        this.#groupOf.set(tool, group);
      }
      open.push(tool);
    }
  }
}

/** More tools than this at once are not looked at in pairs. */
const MAX_OVERLAPPING = 64;

/** The observations of a turn in order, each with what lies below it in one piece behind it. */
class Tree {
  readonly ordered: readonly Observation[];
  /** Observations below which another one failed: they only pass the failure on. */
  readonly failedBelow: ReadonlySet<Observation>;
  readonly #place = new Map<Observation, number>();
  readonly #size: number[];
  /** The nearest tool above each observation: the sub-agent that it belongs to. */
  readonly #owner: (Observation | undefined)[];

  constructor(observations: readonly Observation[]) {
    this.ordered = inOrder(observations);
    const byId = new Map(this.ordered.map((each, place) => [each.id, place]));
    const parentOf = (place: number): number | undefined => {
      const parentId = this.ordered[place]?.parentId;
      const parent = parentId === null || parentId === undefined ? undefined : byId.get(parentId);
      // A parent that comes later closes a loop.
      return parent !== undefined && parent < place ? parent : undefined;
    };
    this.#size = this.ordered.map(() => 1);
    this.#owner = [];
    const failedBelow = new Set<Observation>();
    for (const [place, observation] of this.ordered.entries()) {
      this.#place.set(observation, place);
      const parent = parentOf(place);
      const above = parent === undefined ? undefined : this.ordered[parent];
      this.#owner.push(above !== undefined && isTool(above) ? above : this.#owner[parent ?? -1]);
    }
    for (let place = this.ordered.length - 1; place > 0; place--) {
      const parent = parentOf(place);
      const [observation, above] = [this.ordered[place], parent === undefined ? undefined : this.ordered[parent]];
      if (parent === undefined || observation === undefined || above === undefined) continue;
      this.#size[parent] = (this.#size[parent] ?? 1) + (this.#size[place] ?? 1);
      if (isFailed(observation) || failedBelow.has(observation)) failedBelow.add(above);
    }
    this.failedBelow = failedBelow;
  }

  below(observation: Observation): readonly Observation[] {
    const place = this.#place.get(observation) ?? 0;
    return this.ordered.slice(place + 1, place + (this.#size[place] ?? 1));
  }

  /** The tools that may carry out what a generation asked for: those of the same agent, before its next generation. */
  toolsAfter(generation: Observation): readonly Observation[] {
    const place = this.#place.get(generation) ?? 0;
    const owner = this.#owner[place];
    const tools: Observation[] = [];
    for (let next = place + 1; next < this.ordered.length; next++) {
      const each = this.ordered[next] as Observation;
      if (this.#owner[next] !== owner) continue;
      if (each.type === 'generation') break;
      if (isTool(each)) tools.push(each);
    }
    return tools;
  }
}

/** Tools by type, and what older SDKs record as a span under a tool call's id. */
function isTool({ type, callId }: Observation): boolean {
  return type === 'tool' || type === 'retriever' || (type === 'span' && callId !== undefined);
}

function isFailed({ level }: Observation): boolean {
  return level === 'ERROR';
}

function errorStep(observation: Observation): Step {
  const value = observation.statusMessage ?? spelledOut(observation.output) ?? 'error';
  const name = isTool(observation) ? { name: observation.name } : {};
  return { kind: 'error', ...name, value, observationId: observation.id };
}

function ownInput({ input, model, modelParameters }: Observation): OwnInput {
  const object =
    typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as JsonObject) : undefined;
  const system = messagesOf(input)
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(messageText);
  for (const key of ['system', 'instructions']) {
    const value = object?.[key];
    if (value !== undefined && value !== null) system.push(typeof value === 'string' ? value : canonical(value));
  }
  const parameters = Object.entries(modelParameters ?? {}).filter(([, value]) => value !== null);
  return {
    system: system.join('\n'),
    tools: object?.tools,
    model,
    parameters: parameters.length === 0 ? undefined : Object.fromEntries(parameters),
  };
}

/**
 * Parents before their children, siblings by start. Equal milliseconds are common in fast agents, so that ties are
 * broken by what cannot differ from run to run: how much a generation was given, then content, never the span's id.
 */
function inOrder(observations: readonly Observation[]): Observation[] {
  const unique = [...new Map(observations.map((each) => [each.id, each])).values()];
  const known = new Set(unique.map(({ id }) => id));
  const starts = new Map(unique.map((each) => [each, startOf(each)]));
  const sorted = unique.sort((a, b) => (starts.get(a) ?? 0) - (starts.get(b) ?? 0) || byContent(a, b));
  const children = Map.groupBy(sorted, ({ id, parentId }) =>
    parentId !== null && parentId !== id && known.has(parentId) ? parentId : null,
  );
  const ordered = new Set<Observation>();
  const visit = (roots: readonly Observation[]): void => {
    const pending = [...roots].reverse();
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (ordered.has(next)) continue;
      ordered.add(next);
      pending.push(...(children.get(next.id) ?? []).toReversed());
    }
  };
  visit(children.get(null) ?? []);
  // What hangs in a loop is reached from no root; it comes last, by start.
  for (const each of sorted) visit([each]);
  return [...ordered];
}

function byContent(a: Observation, b: Observation): number {
  return (
    rank(a) - rank(b) ||
    messagesOf(a.input).length - messagesOf(b.input).length ||
    byCodeUnit(a.name, b.name) ||
    byCodeUnit(canonical(a.input), canonical(b.input)) ||
    byCodeUnit(canonical(a.output), canonical(b.output))
  );
}

/** Of what starts in the same millisecond, the model comes before the tools that it asked for. */
function rank({ type }: Observation): number {
  return type === 'generation' ? 0 : type === 'tool' ? 1 : 0;
}

function startOf({ startTime }: Observation): number {
  return Date.parse(startTime);
}

function endOf({ startTime, endTime }: Observation): number {
  return Date.parse(endTime ?? startTime);
}

function clockOf(observations: readonly Observation[]): Trajectory['clock'] {
  if (observations.length === 0) return undefined;
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const each of observations) {
    from = Math.min(from, startOf(each));
    to = Math.max(to, endOf(each));
  }
  return { from, to };
}
