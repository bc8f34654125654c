import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type KnownBy, targetWithoutSecrets } from '../agent/index.ts';
import { type Config, type OptionValues, secretsOf } from '../config/index.ts';
import { wireNames } from '../contract/index.ts';
import { AgentReplayError, asAgentReplayError } from '../errors.ts';
import { languageOf, readTextFile } from '../files/index.ts';
import { exportsOf, inspectProject } from '../init/index.ts';
import { configuredAgents, startLiveAgent } from '../job/index.ts';
import { Redaction } from '../redaction/index.ts';
import { type ReplayPolicy, ToolPolicies } from '../tools/index.ts';
import { callAgent } from './call-agent.ts';
import type { AgentEvidence, Call, Surroundings, TimedSpan } from './evidence/evidence.ts';
import { CALLS, CALLS_TO_TELL_APART, type Probe, SMALL_TALK } from './evidence/probes.ts';
import { callOf } from './evidence/reading.ts';
import { isPlatformNeeded, lookAround } from './evidence/surroundings.ts';
import { type CheckedRule, judge } from './judge-rules.ts';
import { AGENT_RULES, AGENT_RULES_WITHOUT_TRACES, ENVIRONMENT_RULES } from './rules/all.ts';

type ConfiguredAgent = ReturnType<typeof configuredAgents>[number];

/** Events for watchers. Lines of the agent's output are redacted. */
export type DoctorEvent =
  /** Before the start: how many calls a correct agent gets, and how many more if some fail. */
  | { readonly kind: 'planned'; readonly calls: number; readonly more: number; readonly questions: readonly string[] }
  | { readonly kind: 'starting'; readonly agent: string | undefined }
  | { readonly kind: 'calling'; readonly probes: readonly Probe[] }
  | { readonly kind: 'agent-output'; readonly line: string };

interface DoctorOptions {
  /** Where the search for the configuration begins. */
  readonly cwd: string;
  /** The configuration, instead of a search. */
  readonly file?: string;
  readonly settings?: OptionValues;
  /** Two questions, instead of small talk. */
  readonly questions?: readonly [string, string];
  readonly signal?: AbortSignal;
  readonly on?: (event: DoctorEvent) => void;
}

/** The doctor's findings, redacted, as plain data: what `--json` prints. */
export interface Diagnosis {
  readonly version: 1;
  /** Rules that need no agent. */
  readonly environment: readonly CheckedRule[];
  readonly agents: readonly AgentDiagnosis[];
}

export interface AgentDiagnosis {
  readonly id: string | undefined;
  readonly url: string | undefined;
  /** Calls that were made, including the one without any input. */
  readonly calls: number;
  readonly rules: readonly CheckedRule[];
}

/**
 * Checks configuration, surroundings and agents against the rules. Faults are in the diagnosis; whatever was started is
 * ended.
 * @throws the signal's reason, and `INTERNAL`
 */
export async function diagnose(options: DoctorOptions): Promise<Diagnosis> {
  const { cwd, file, settings, signal, questions = SMALL_TALK } = options;
  const surroundings = await lookAround({ cwd, file, settings, signal });
  signal?.throwIfAborted();
  const { config } = surroundings;
  const secrets = config === undefined ? [] : secretsOf(config, process.env);
  const agents: AgentDiagnosis[] = [];
  for (const agent of config === undefined ? [] : configuredAgents(config)) {
    if (agents.length === 0) {
      options.on?.({ kind: 'planned', calls: CALLS, more: CALLS_TO_TELL_APART, questions });
    }
    const evidence = await examine(agent, surroundings, { ...options, questions, secrets });
    const { calls, source, language } = evidence;
    const rules = source === 'none' ? AGENT_RULES_WITHOUT_TRACES : AGENT_RULES;
    agents.push({ id: agent.id, url: agent.options.url, calls: calls.length, rules: judge(rules, evidence, language) });
  }
  const environment = judge(ENVIRONMENT_RULES, surroundings);
  return redacted({ version: 1, environment, agents: agents.map(saidOnce) }, secrets);
}

/** What an agent printed is not repeated with the next rule. */
function saidOnce(agent: AgentDiagnosis): AgentDiagnosis {
  const said = new Set<string>();
  const isNew = (fact: string): boolean => !/^agent[|:] /.test(fact) || !said.has(fact);
  const rules = agent.rules.map((verdict) => {
    const seen = verdict.seen.filter(isNew);
    for (const fact of seen) said.add(fact);
    return { ...verdict, seen };
  });
  return { ...agent, rules };
}

interface ExamineOptions extends DoctorOptions {
  readonly questions: readonly [string, string];
  /** Secrets found on the way are added. */
  readonly secrets: string[];
}

/** Starts an agent, calls it, and ends it. */
async function examine(
  planned: ConfiguredAgent,
  surroundings: Surroundings,
  options: ExamineOptions,
): Promise<AgentEvidence> {
  const config = surroundings.config as Config;
  const { signal, questions, secrets, on } = options;
  const spans: TimedSpan[] = [];
  let calls: Call[] = [];
  let readyMs: number | undefined;
  let knownBy: KnownBy | undefined;
  let unauthorized = 0;
  let reads: AgentEvidence['reads'];
  let wrappedTools: AgentEvidence['wrappedTools'];
  // Without its traces nothing could be judged, and the calls would be wasted.
  let problem = isPlatformNeeded(config) ? platformProblem(surroundings) : undefined;
  const startedAt = performance.now();
  try {
    if (problem !== undefined) throw problem;
    await using agent = await startLiveAgent(planned, config, {
      signal,
      isAsking: true,
      onStarting: () => on?.({ kind: 'starting', agent: planned.id }),
      onSecret: (secret) => secrets.push(secret),
      onOutput: (line) => on?.({ kind: 'agent-output', line: new Redaction(secrets).text(line) }),
      onCrash: (crash) => {
        problem = crash;
      },
      onSpan: (span) => {
        if (spans.length < MAX_SPANS) spans.push({ ...span, arrivedAt: performance.now() });
      },
    });
    readyMs = performance.now() - startedAt;
    knownBy = agent.knownBy;
    const onCall = (probes: readonly Probe[]) => on?.({ kind: 'calling', probes });
    const recordedTools = surroundings.pins.tools;
    calls = await callAgent(agent, config, { questions, recordedTools, spans, signal, onCall });
    ({ unauthorized = 0, reads } = agent.traces?.receiver?.stats() ?? {});
    wrappedTools = agent.wrappedTools && [...agent.wrappedTools];
  } catch (error) {
    signal?.throwIfAborted();
    problem ??= await withExports(asAgentReplayError(error));
  }
  // Nothing that was seen then shows anything about the agent.
  if (problem?.code === 'INTERNAL') throw problem;
  return {
    source: config.tracing.source,
    acknowledged: config.tracing.acknowledge,
    names: wireNames(config.identifiers),
    agentId: agentIdOf(planned, config),
    wasStarted: planned.options.command !== undefined,
    problem,
    readyMs,
    knownBy,
    calls,
    lateSpans: lateSpans(calls, spans),
    unauthorized,
    reads,
    replayedTools: replayedTools(surroundings.pins.tools, config),
    wrappedTools,
    ...(await writtenWith(planned)),
    secrets,
  };
}

function lateSpans(calls: readonly Call[], spans: readonly TimedSpan[]): TimedSpan[] {
  return spans.filter((span) => {
    const { trace, concludedAt = Number.POSITIVE_INFINITY } = callOf(calls, span) ?? {};
    // The last span of a counted trace comes in the millisecond in which it is taken.
    const isIn = trace?.observations.some(({ id }) => id === span.id);
    return !isIn && performance.timeOrigin + span.arrivedAt > concludedAt;
  });
}

/** An unreadable folder shows nothing. */
async function writtenWith({
  options,
}: ConfiguredAgent): Promise<Pick<AgentEvidence, 'language' | 'converter' | 'tracing'>> {
  const project = await inspectProject(options.cwd ?? '.').catch(() => undefined);
  const { converter, name } = project?.agent ?? {};
  const tracing = project?.tracing;
  const language = await languageOf(options.cwd ?? '.');
  if (converter === undefined || name === undefined) return { language, tracing, converter: undefined };
  const module = language === 'python' ? 'agent_replay.messages' : 'agent-replay/endpoint';
  return { language, tracing, converter: { name: converter, framework: name, module } };
}

function platformProblem({ platform }: Surroundings): AgentReplayError | undefined {
  return platform !== undefined && 'problem' in platform ? platform.problem : undefined;
}

/** Tools whose results do not come from the tools in a run, according to the configuration. */
function replayedTools(pinned: readonly string[], { tools, compare }: Config): AgentEvidence['replayedTools'] {
  const policies = new ToolPolicies(tools, compare.tools);
  const of = (policy: ReplayPolicy, names: readonly string[]) => names.filter((name) => policies.of(name) === policy);
  const never = new Set([...of('never', pinned), ...policies.neverByName()]);
  return { recorded: of('recorded', pinned).sort(), never: [...never].sort() };
}

/** The receiver's limit for one trace: more come from a loop. */
const MAX_SPANS = 20_000;

/** The id given to the agent; if we do not start it, only the configured id is known. */
function agentIdOf({ id, options: { env, command } }: ConfiguredAgent, { identifiers }: Config): string | undefined {
  const name = wireNames(identifiers).env.agentId;
  return env?.[name] ?? id ?? (command === undefined ? undefined : process.env[name]);
}

function redacted(diagnosis: Diagnosis, secrets: readonly string[]): Diagnosis {
  const { text: redact } = new Redaction(secrets);
  const shown = (verdict: CheckedRule): CheckedRule => ({
    ...verdict,
    seen: verdict.seen.map(redact),
    fix: verdict.fix && redact(verdict.fix),
  });
  return {
    ...diagnosis,
    environment: diagnosis.environment.map(shown),
    agents: diagnosis.agents.map((agent) => ({
      ...agent,
      url: agent.url && targetWithoutSecrets(agent.url),
      rules: agent.rules.map(shown),
    })),
  };
}

/** Of an agent that does not start because a file imports what another one does not export: the line, and what is there. */
async function withExports(problem: AgentReplayError): Promise<AgentReplayError> {
  const { code, message, evidence, location, cause } = problem;
  const printed = evidence.join('\n');
  const [, module = '', name] = /module '(\.[^']+)' does not provide an export named '(\w+)'/.exec(printed) ?? [];
  const [, url = '', line] = /(file:\/\/\/(?:[A-Z]:)?[^\s:]{1,2000}):(\d{1,9})$/m.exec(printed) ?? [];
  if (name === undefined || line === undefined) return problem;
  const text = await readTextFile(fileURLToPath(new URL(module, url))).catch(() => '');
  const there = exportsOf(text).join(', ') || 'nothing by name';
  const hint = `Correct ${path.relative('.', fileURLToPath(url))}, line ${line}: ${module} has no ${name}. It exports ${there}.`;
  return new AgentReplayError(code, message, { evidence, hint, location, cause });
}
