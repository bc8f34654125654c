import type { RecordedTools } from '../compare/index.ts';
import { type AskedTool, TOOLS_ENV, type ToolAnswer } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import { type Json, present } from '../json/index.ts';
import type { ToolCounts, ToolUse } from '../replay/index.ts';
import { cut } from '../text/index.ts';
import { HUGE_STAND_IN, type MissedCall, type Trace } from '../trace/index.ts';
import type { ReplayPolicy, ToolPolicies } from './settings.ts';
import { notWrapped, ToolError } from './tool-error.ts';
import { toolRuns } from './tool-runs.ts';

type Following = ReturnType<RecordedTools['follow']>;
type Held = NonNullable<ReturnType<Following['next']>>;
type RecordedCall = Held['call'];
type Clock = NonNullable<Held['clock']>;

/** Longest arguments in a message to the agent. */
const MAX_SHOWN_CHARS = 300;

/** The tools of one replay that is in flight. */
export class ReplayedTools implements ToolUse {
  readonly missed: MissedCall[] = [];
  doubt: AgentReplayError | undefined;
  readonly #turn: RecordedTools;
  readonly #policies: ToolPolicies;
  readonly #following: Following;
  readonly #counts = { recorded: 0, live: 0, missed: 0 };
  readonly #clocks = new Set<Clock>();
  /** Calls so far, by tool, and by tool and arguments. */
  readonly #asked = new Map<string, number>();
  readonly #askedLike = new Map<string, number>();
  #tickets: Held[] = [];
  /** Why no tool of this replay runs any more. */
  #over: Extract<ToolAnswer, { policy: 'missed' | 'refused' }> | undefined;

  constructor(turn: RecordedTools, policies: ToolPolicies) {
    this.#turn = turn;
    this.#policies = policies;
    this.#following = turn.follow();
  }

  get counts(): ToolCounts {
    return { ...this.#counts };
  }

  get resultClocks(): Clock[] {
    return [...this.#clocks].sort((a, b) => a.from - b.from);
  }

  answer(asked: AskedTool): ToolAnswer {
    const { name } = asked;
    const key = this.#turn.keyOf(asked);
    const before = count(this.#askedLike, key);
    count(this.#asked, name);
    const policy = this.#policyOf(name);
    const held = this.#following.next(asked, policy !== 'live');
    if (this.#over !== undefined) {
      // An unrecorded call parallel to the one that ended it: their order means nothing.
      if (policy !== 'live' && held === undefined) this.#miss(asked, before);
      return this.#over;
    }
    if (policy === 'live') return this.#live(held);
    if (held !== undefined) return this.#recorded(name, held);
    this.#counts.missed++;
    const nearest = this.#following.nearest(asked);
    const message = missedMessage(asked, nearest?.arguments[0]);
    const { onMiss } = this.#policies;
    if (onMiss === 'error') return { policy: 'recorded', error: message };
    if (onMiss === 'live' && policy !== 'never') return this.#live(undefined);
    this.#miss(asked, before);
    const told = nearest === undefined ? {} : { nearest: { name, arguments: nearest.arguments[0] as Json } };
    this.#over = { policy: 'missed', message, ...told };
    return this.#over;
  }

  /** What a live tool gave back. */
  cameBack(ticket: number, result: Json): void {
    this.#tickets[ticket]?.learn(result);
  }

  /** Nobody can tell what this replay did, so it shows nothing about the agent. Its tools are refused from now on. */
  giveUp(doubt: AgentReplayError): void {
    this.doubt ??= doubt;
    this.#over ??= { policy: 'refused', message: doubt.message };
  }

  /** It is over: releases everything that only further calls need. */
  close(): void {
    this.#askedLike.clear();
    this.#tickets = [];
    this.#following.close();
  }

  breach({ observations }: Trace): AgentReplayError | undefined {
    for (const [name, runs] of toolRuns(observations)) {
      const asked = this.#asked.get(name) ?? 0;
      if (runs.length <= asked || this.#policyOf(name) === 'live') continue;
      const refused = runs.flatMap((run) => NOT_ASKED.exec(JSON.stringify([run.statusMessage, run.output])) ?? []);
      if (runs.length > asked + refused.length)
        return notWrapped(
          [name],
          `The tool ${name} ran without asking for its recorded result.`,
          [`spans of ${name} in the trace: ${runs.length}`, `asked for: ${asked}`],
          this.#policies.language,
        );
      this.giveUp(notAsked(name, refused));
    }
    return undefined;
  }

  /** A sub-agent is under test, so it runs unless the configuration names it. */
  #policyOf(name: string): ReplayPolicy {
    const policy = this.#policies.of(name);
    return policy === 'recorded' && this.#turn.subAgents.has(name) && !this.#policies.isNamed(name) ? 'live' : policy;
  }

  #miss({ name, arguments: args, call_id: callId }: AskedTool, before: number): void {
    this.missed.push({ name, arguments: args, before, ...present({ callId }) });
  }

  #live(held: Held | undefined): ToolAnswer {
    this.#counts.live++;
    if (held === undefined) return { policy: 'live' };
    return { policy: 'live', ticket: this.#tickets.push(held) - 1 };
  }

  #recorded(name: string, { call: { outcome }, clock }: Held): ToolAnswer {
    if (outcome === undefined || isCut(outcome)) {
      const doubt = resultMissing(name, outcome);
      this.giveUp(doubt);
      return { policy: 'refused', message: doubt.message };
    }
    this.#counts.recorded++;
    if (clock !== undefined) this.#clocks.add(clock);
    return { policy: 'recorded', ...outcome };
  }
}

/** @returns the count before */
function count(counts: Map<string, number>, key: string): number {
  const before = counts.get(key) ?? 0;
  counts.set(key, before + 1);
  return before;
}

function missedMessage({ name, arguments: args }: AskedTool, nearest: Json | undefined): string {
  const held = nearest === undefined ? 'it holds no call of this tool' : `the nearest is ${shortJson(nearest)}`;
  return `The recording holds no call of ${name} with ${shortJson(args)}; ${held}.`;
}

function shortJson(value: Json): string {
  return cut(JSON.stringify(value), MAX_SHOWN_CHARS);
}

/** What our wrappers say of a tool that they did not run, because nobody answered them. */
const NOT_ASKED = /(?<![\w.-])[\w.-]+ did not run: agent-replay[^"\\]*/;

function notAsked(name: string, said: readonly string[]): AgentReplayError {
  return new ToolError(
    [name],
    'TOOLS_UNREACHABLE',
    `The tool ${name} could not ask for its recorded result, and did not run.`,
    {
      evidence: [...new Set(said)],
      hint: `Pass ${TOOLS_ENV.url} and ${TOOLS_ENV.token} on, as agent-replay has set them, to the process that runs it.`,
    },
  );
}

/** What tracing SDKs leave of an image or file that they upload separately. */
const CUT_FILE = /@@@langfuseMedia:type=([^|@]*)\|/;

/** Whether the agent would go on with a file's name instead of its bytes, or with the beginning of a text. */
function isCut(outcome: NonNullable<RecordedCall['outcome']>): boolean {
  const text = JSON.stringify(outcome);
  return CUT_FILE.test(text) || HUGE_STAND_IN.test(text);
}

function resultMissing(name: string, outcome: RecordedCall['outcome']): AgentReplayError {
  const text = JSON.stringify(outcome ?? null);
  const [, type] = CUT_FILE.exec(text) ?? [];
  const [, length] = HUGE_STAND_IN.exec(text) ?? [];
  const [what, hint] =
    type !== undefined
      ? [`with a file (${type}) that its trace has cut out of the result`, 'Let its tracing keep files in results, or']
      : length !== undefined
        ? [`and only the beginning of its result of ${length} characters`, 'Let it return less, or']
        : ['but not its result', 'Pin the session again from a trace that holds results of tools, or'];
  return new AgentReplayError('TOOL_RESULT_MISSING', `The recording holds a call of ${name}, ${what}.`, {
    evidence: [`tool: ${name}`],
    hint: `${hint} set tools.${name}.replay to live.`,
  });
}
