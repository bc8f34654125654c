import {
  answerIn,
  type Generation,
  generationOf,
  given,
  madeUpId,
  type Output,
  outcomeIn,
  putOut,
  type ToolCall,
} from '../../chat/index.ts';
import { type Json, spelledInFence, spelledOut } from '../../json/index.ts';
import { echoesIn, isTool, type Observation, type Recording } from '../../trace/index.ts';
import type { Step } from '../shapes/step.ts';
import { sameValue } from '../values/canonical.ts';
import { withMediaByContent } from '../values/media-content.ts';
import type { Told } from '../values/told.ts';
import { claimTools } from './claims.ts';
import { untilMissed } from './missed.ts';
import { answerAtEnd, readTextActions } from './text-actions.ts';
import { type Clock, endOf, isFailed, Tree } from './tree.ts';

export interface ModelCall {
  readonly generation: Generation;
  /** The tool observation above it: the sub-agent that it belongs to. */
  readonly owner: string | undefined;
  /** Whether the trace holds its output; a failed call has none. */
  readonly outcome: 'told' | 'untold' | 'failed';
}

export interface Trajectory {
  readonly steps: readonly Step[];
  /** In order. Their inputs are evidence for causes, never behaviour. */
  readonly modelCalls: readonly ModelCall[];
  /** The run's own; undefined without observations. */
  readonly clock: Clock | undefined;
  /** Clocks of the recordings that tool results came from. */
  readonly otherClocks: readonly Clock[];
  readonly traits: Traits;
}

/** Facts about how to read a trace that only a whole trace shows. The original's apply to the runs beside it. */
export interface Traits {
  /** Pairs of tools (`a\0b`) that overlapped in time: only they form parallel groups in a trace without generations. */
  readonly overlaps: ReadonlySet<string>;
  /** If true, the tools are the calls, and no call is read from a generation's text. */
  readonly hasTools: boolean;
  /** What its tools told. */
  readonly told?: Told;
}

/**
 * The steps of one turn, in the order in which the agent took them. Only listed values are read: arguments, results, texts,
 * the output, errors; never ids, times, usage or metadata.
 * @param original traits of the original; undefined for the original itself
 */
export function trajectoryOf(told: Recording, original?: Traits): Trajectory {
  const recording = withMediaByContent(told);
  const tree = new Tree(recording.observations);
  const walk = new Walk(tree, original);
  const { steps, modelCalls, traits } = walk;
  const { missed = [], resultClocks: otherClocks = [] } = recording;
  if (missed.length > 0) {
    const until = untilMissed(steps, missed, recording.observations);
    return { steps: until, modelCalls, clock: tree.clock, otherClocks, traits };
  }
  if (recording.output !== undefined) {
    const answered = steps.findLastIndex(({ kind }) => kind === 'text');
    const acted = steps.findLastIndex(({ kind }) => kind === 'call' || kind === 'result');
    // The model's last text is the answer itself, which the output already contains.
    if (answered > acted) steps.splice(answered, 1);
    const answer = answerIn(recording.output);
    const value = walk.actsInText ? answerAtEnd(answer) : answer;
    steps.push({ kind: 'final', value, generation: walk.lastGenerationOf(undefined) });
  } else {
    const last = steps.at(-1);
    if (last?.kind === 'text') steps[steps.length - 1] = { ...last, kind: 'final', value: spelledInFence(last.value) };
  }
  const end = walk.end ?? (recording.output === undefined && steps.at(-1)?.kind !== 'final' ? 'no output' : undefined);
  if (end !== undefined) steps.push({ kind: 'end', value: end, generation: walk.lastGenerationOf(undefined) });
  return { steps, modelCalls, clock: tree.clock, otherClocks, traits };
}

/** Sub-agents nested deeper than this are listed flat, so that no trace overflows the stack. */
const MAX_NESTED_TOOLS = 100;

/** One pass over the observations of a turn. */
class Walk {
  readonly steps: Step[] = [];
  readonly modelCalls: ModelCall[] = [];
  readonly traits: Traits;
  readonly actsInText: boolean;
  end: string | undefined;
  readonly #tree: Tree;
  readonly #told = new Set<Observation>();
  readonly #outputs: ReadonlyMap<Observation, Output>;
  readonly #claims: ReadonlyMap<ToolCall, Observation>;
  readonly #groupOf: ReadonlyMap<Observation, number>;
  /** Results in the inputs of generations by call id, last one first, until a call takes them. */
  readonly #given: ReadonlyMap<string, Json[]>;
  /** Generations with calls that nobody carried out. */
  readonly #unanswered = new Set<Observation>();
  /** By agent or sub-agent. */
  readonly #last = new Map<string | undefined, number>();
  #groups = 0;

  constructor(tree: Tree, original: Traits | undefined) {
    this.#tree = tree;
    const echoes = echoesIn(tree.ordered);
    const generations = tree.ordered.filter((each) => each.type === 'generation' && !echoes.has(each));
    const outputs = new Map(generations.map((each) => [each, outputOf(each)]));
    const hasTools = tree.ordered.some(isTool);
    const read = hasTools || original?.hasTools === true ? undefined : readTextActions(outputs);
    this.actsInText = read !== undefined;
    this.#outputs = read ?? outputs;
    this.#claims = claimTools(tree, new Map([...this.#outputs].map(([each, { calls }]) => [each, calls])));
    this.#given = givenTo(generations);
    const parallel = generations.length === 0 ? overlappingTools(tree, original?.overlaps) : undefined;
    this.traits = { overlaps: parallel?.pairs ?? new Set(), hasTools };
    this.#groupOf = parallel?.groupOf ?? new Map();
    // These tools are listed where they were asked for.
    for (const tool of this.#claims.values()) this.#told.add(tool);
    for (const echo of echoes) this.#told.add(echo);
    this.#tell(tree.ordered, 0);
    this.end = this.#endOf(generations.at(-1));
  }

  /** The agent's own last one so far; if it has none, the last one of all. */
  lastGenerationOf(owner: string | undefined): number | undefined {
    return this.#last.get(owner) ?? (this.modelCalls.length === 0 ? undefined : this.modelCalls.length - 1);
  }

  #tell(observations: readonly Observation[], depth: number): void {
    for (const observation of observations) {
      if (this.#told.has(observation)) continue;
      this.#told.add(observation);
      if (observation.type === 'generation') this.#tellGeneration(observation, depth);
      else if (isTool(observation)) this.#tellTool(observation, depth);
      else if (isFailed(observation) && !this.#tree.passesOnFailure(observation)) {
        this.steps.push(errorStep(observation));
      }
    }
  }

  #tellGeneration(generation: Observation, depth: number): void {
    const owner = this.#tree.ownerOf(generation)?.id;
    const isTold = generation.output !== undefined && generation.output !== null;
    const outcome = isFailed(generation) ? 'failed' : isTold ? 'told' : 'untold';
    const number = this.modelCalls.push({ generation: generationOf(generation), owner, outcome }) - 1;
    this.#last.set(owner, number);
    const { said, calls } = this.#outputs.get(generation) as Output;
    for (const value of said) {
      this.steps.push({ kind: 'text', value, observationId: generation.id, generation: number });
    }
    if (isFailed(generation)) this.steps.push({ ...errorStep(generation), generation: number });
    if (calls.length === 0) return;
    const group = this.#groups++;
    for (const [index, call] of calls.entries()) {
      const tool = this.#claims.get(call);
      const observationId = tool?.id ?? generation.id;
      const shared = { name: call.name, callId: call.id, group, generation: number, observationId };
      this.steps.push({ kind: 'call', ...shared, value: call.args ?? spelledOut(tool?.input) });
      if (tool !== undefined) this.#tellBelow(tool, depth);
      const outcome = this.#outcomeOf(
        call,
        tool,
        call.id === undefined ? madeUpId(given(generation.input).calls.length + index + 1) : undefined,
      );
      // A tool behind a protocol may fail under a name of its own.
      if (outcome !== undefined) this.#tellOutcome({ ...outcome, ...shared }, tool);
      else this.#unanswered.add(generation);
    }
  }

  /** A call that no model asked for, as far as the trace shows. */
  #tellTool(tool: Observation, depth: number): void {
    const group = this.#groupOf.get(tool);
    const shared = {
      name: tool.name,
      observationId: tool.id,
      callId: tool.callId,
      generation: this.lastGenerationOf(this.#tree.ownerOf(tool)?.id),
      isUnasked: true as const,
      ...(group === undefined ? {} : { group }),
    };
    this.steps.push({ kind: 'call', ...shared, value: spelledOut(tool.input) });
    this.#tellBelow(tool, depth);
    this.#tellOutcome({ ...shared, ...(this.#outcomeOf({ id: tool.callId }, tool, undefined) as Step) }, tool);
  }

  /** If a model below the tool wrote last, its text is the result itself. */
  #tellOutcome(outcome: Step, tool: Observation | undefined): void {
    const isByModel = tool !== undefined && this.#tree.below(tool).some(({ type }) => type === 'generation');
    if (!isByModel || outcome.kind !== 'result') {
      this.steps.push(outcome);
      return;
    }
    const value = outcome.value === undefined ? undefined : answerIn(outcome.value);
    const last = this.steps.at(-1);
    if (last?.kind === 'text' && sameValue(spelledInFence(last.value), value)) this.steps.pop();
    this.steps.push({ ...outcome, value, byModel: true, generation: this.lastGenerationOf(tool.id) });
  }

  /** The steps of a sub-agent come between the call of its tool and the result. */
  #tellBelow(tool: Observation, depth: number): void {
    if (depth < MAX_NESTED_TOOLS) this.#tell(this.#tree.below(tool), depth + 1);
  }

  /** @param standIn the id under which a later input holds the result of a call without an id */
  #outcomeOf(
    call: Pick<ToolCall, 'id' | 'result'>,
    tool: Observation | undefined,
    standIn: string | undefined,
  ): Step | undefined {
    const { id = standIn, result } = call;
    const told = result !== undefined || id === undefined ? result?.value : this.#given.get(id)?.pop();
    if (tool !== undefined && isFailed(tool)) return errorStep(tool);
    const value = tool?.output === undefined ? told : tool.output;
    return value === undefined && tool === undefined ? undefined : { kind: 'result', value: outcomeIn(value) };
  }

  /** How the run ended, if not by itself. */
  #endOf(last: Observation | undefined): string | undefined {
    if (last === undefined) return undefined;
    return this.#outputs.get(last)?.cutShort ?? (this.#unanswered.has(last) ? 'tool calls not executed' : undefined);
  }
}

/** Messages accumulate, so the generation with most results of an id has all of them. */
function givenTo(generations: readonly Observation[]): Map<string, Json[]> {
  const byId = new Map<string, Json[]>();
  for (const generation of generations) {
    const results = Map.groupBy(given(generation.input).results, ({ id }) => id);
    for (const [id, each] of results) {
      if (id === undefined || each.length <= (byId.get(id)?.length ?? 0)) continue;
      byId.set(
        id,
        each.map(({ value }) => value),
      );
    }
  }
  for (const values of byId.values()) values.reverse();
  return byId;
}

/** With more parallel tools than this, pairs are not examined. */
const MAX_OVERLAPPING = 16;

/** Overlap in time forms a group only if no generation does, and only if it overlaps in the original too. */
function overlappingTools(
  tree: Tree,
  known: ReadonlySet<string> | undefined,
): { pairs: Set<string>; groupOf: Map<Observation, number> } {
  const pairs = new Set<string>();
  const groupOf = new Map<Observation, number>();
  let open: Observation[] = [];
  for (const tool of tree.ordered.filter(isTool).sort((a, b) => tree.startOf(a) - tree.startOf(b))) {
    const start = tree.startOf(tool);
    open = open.filter((each) => endOf(each) > start).slice(-MAX_OVERLAPPING);
    for (const each of open.filter(({ parentId }) => parentId === tool.parentId)) {
      const pair = each.name < tool.name ? `${each.name}\0${tool.name}` : `${tool.name}\0${each.name}`;
      pairs.add(pair);
      if (known !== undefined && !known.has(pair)) continue;
      const group = groupOf.get(each) ?? groupOf.size;
      groupOf.set(each, group);
      groupOf.set(tool, group);
    }
    open.push(tool);
  }
  return { pairs, groupOf };
}

function errorStep(observation: Observation): Step {
  const value = observation.statusMessage ?? spelledOut(observation.output) ?? 'error';
  return { kind: 'error', value, observationId: observation.id };
}

/** Copies each call, because calls are compared by identity and two generations may share a value. */
function outputOf(generation: Observation): Output {
  const { said, calls, reasoning, cutShort } = putOut(generation.output);
  return { said, calls: calls.map((call) => ({ ...call })), reasoning, cutShort };
}
