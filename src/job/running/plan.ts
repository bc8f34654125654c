import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AgentOptions } from '../../agent/index.ts';
import { RecordedTurn, unknownTools } from '../../compare/index.ts';
import { type Config, idlePatterns, ownSettingsOf, secretWords, withOwn } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { OUR_FOLDER } from '../../files/index.ts';
import type { Report } from '../../report/index.ts';
import { loadPins, type Pin } from '../../session/index.ts';
import { ToolPolicies } from '../../tools/index.ts';
import { calledTools, type Recording } from '../../trace/index.ts';
import type { TracingHabits } from '../../tracing/index.ts';
import { baseTold, firstRunsOf, gateOfSession, gatesTold, STEADY, unitsOf } from '../judging/gates.ts';
import { isOftenRecorded, steadySessions } from '../judging/steady.ts';
import { type CostEstimate, estimateCalls } from '../records/cost.ts';
import type { GateUnit } from '../records/extension-points.ts';
import { type PlannedSession, type RunScope, runNumbers } from '../records/run-scope.ts';
import { checkNames, isNamed, quarantined } from './quarantine.ts';

/** Which pinned sessions are replayed, and which turn. */
export interface Selection {
  /** Files or patterns, relative to the root or absolute, instead of the configured ones. */
  readonly patterns?: readonly string[];
  /** Id, title or path contains it. */
  readonly grep?: string;
  /** Only this turn, from 1, of the sessions that have it. */
  readonly turn?: number;
}

export interface PlannedAgent {
  readonly id: string | undefined;
  readonly options: AgentOptions;
  readonly sessions: readonly PlannedSession[];
  /** How it traces: also those that `grep` leaves out. */
  readonly pins?: readonly PlannedSession['pin'][];
  /** Used where the pins of other shards are not kept. */
  readonly habits?: TracingHabits;
}

/** The pins that a plan is made of. */
interface ReadPins {
  /** The chosen ones. */
  readonly pins: readonly Pin[];
  /** Those that are not chosen may have no turns. */
  readonly all: readonly Pin[];
  readonly problems: readonly AgentReplayError[];
  /** By the id of their agent. Default: what `all` show. */
  readonly habits?: ReadonlyMap<string | undefined, TracingHabits>;
  /** Sessions of steady agents. Default: as `all` show. */
  readonly steady?: ReadonlySet<string>;
}

/** Before anything is started or sent. */
export interface Plan {
  readonly agents: readonly PlannedAgent[];
  /** Those of all agents. */
  readonly sessions: readonly PlannedSession[];
  /** Sessions without an agent, or without a turn that can be replayed. */
  readonly notReplayed: readonly PlannedSession[];
  /** Pins that could not be read, or patterns that matched none. */
  readonly problems: readonly AgentReplayError[];
  /** Run numbers of each turn, for sessions without a number of their own. */
  readonly runs: readonly number[];
  /** Turns times runs. Retries come on top. */
  readonly calls: number;
  /** The most calls that further looks can add, for sessions judged by shift. */
  readonly moreCalls: number;
  /** Calls and cost with further looks; undefined if there are none. */
  readonly looks: string | undefined;
  /** Which gate judges which sessions, and why; undefined if that is obvious. */
  readonly gates: string | undefined;
  /** Tools declared mutating that recorded turns call and replays call for real, with their number of calls. */
  readonly mutatingCalls: ReadonlyMap<string, number>;
  readonly cost: CostEstimate;
  /** Notes printed before the start. They stop nothing. */
  readonly notes: readonly string[];
}

export type Shard = NonNullable<Report['evidence']['shard']>;

interface Part {
  readonly shard: Shard;
  /** A digest of what all shards do together, which must be the same for each of them. */
  readonly whole: string;
  /** Their sessions. */
  readonly sessions: number;
  /** Their tested turns. */
  readonly tested: number;
  /** Its part of what all shards may spend. */
  readonly budget: Pick<Config, 'maxCalls' | 'maxCost'>;
  /** Replays of each session that the last look at all of them reads, if any is tested. */
  readonly lastLook?: number;
}

/** A plan, or this job's part of it. */
export interface RunPlan extends Plan {
  readonly part?: Part;
}

/** A mistake in one pin does not stop the others. */
export async function planJob(config: Config, selection: Selection = {}, read?: ReadPins): Promise<Plan> {
  const { pins, all, problems, habits, ...told }: ReadPins = read ?? (await meantPins(config, selection));
  const agents = configuredAgents(config);
  const { turn } = selection;
  const meant = pins.filter((pin) => turn === undefined || turn <= pin.turns.length);
  // A name or a pattern can only be called wrong if all pins were read.
  const isWhole = !selection.patterns?.length && problems.length === 0;
  if (isWhole) checkNames(config, all);
  const inQuarantine = quarantined(config, pins);
  const steady = told.steady ?? (await steadyIn(meant, isWhole ? all : undefined, config, agents));
  const planned = meant.map((pin) => {
    const quarantine = inQuarantine.get(pin.session.id);
    const gate = steady.has(pin.session.id) ? STEADY : {};
    return {
      ...plannedSession(pin, turn, config, gate),
      agent: agentFor(pin, agents),
      ...(quarantine && { quarantine }),
    };
  });
  const groups = agents.map((agent) => {
    const sessions = planned.filter((session) => session.agent === agent && session.turns.length > 0);
    const known = habits
      ? { habits: habits.get(agent.id) }
      : { pins: all.filter((pin) => agentFor(pin, agents) === agent) };
    return { ...agent, sessions, ...known };
  });
  const notReplayed = planned
    .filter(({ agent, turns }) => agent === undefined || turns.length === 0)
    .map((session) =>
      session.agent === undefined
        ? { ...session, turns: [], problems: [...session.problems, noAgentFor(session.pin, agents)] }
        : session,
    );
  const replayed = groups.flatMap(({ sessions }) => sessions);
  return {
    agents: groups.filter(({ sessions }) => sessions.length > 0),
    sessions: replayed,
    notReplayed,
    problems: meant.length < pins.length && meant.length === 0 ? [...problems, noSuchTurn(turn)] : problems,
    runs: runNumbers(config.runs),
    ...figuresOf(replayed, config),
    notes: isWhole
      ? [
          ...idleNotes(config, all),
          ...maskedWords(config, pins),
          ...(hasRun(config) ? [] : unknownToolsNote(config, pins)),
        ]
      : [],
  };
}

export function* recordingsIn(pins: readonly Pick<Pin, 'session'>[]): Generator<Recording> {
  for (const { recorded, baselines = [] } of pins.flatMap(({ session }) => session.turns))
    yield* [recorded, ...baselines];
}

/** Reads the pins that are selected, or else the configured ones. */
export function meantPins(
  { sessions, root, allowEmpty, maxPins }: Config,
  { patterns, grep }: Selection,
  how: Pick<NonNullable<Parameters<typeof loadPins>[1]>, 'others' | 'kept'> = {},
): ReturnType<typeof loadPins> {
  return loadPins(patterns?.length ? patterns : sessions, {
    root,
    grep,
    allowEmpty,
    ...how,
    limits: { files: maxPins },
  });
}

/** @param of what is left of a session; undefined: nothing */
export function partOf(plan: Plan, of: (session: PlannedSession) => PlannedSession | undefined): Plan {
  const left = (sessions: readonly PlannedSession[]) => sessions.flatMap((session) => of(session) ?? []);
  const agents = plan.agents
    .map((agent) => ({ ...agent, sessions: left(agent.sessions) }))
    .filter(({ sessions }) => sessions.length > 0);
  const sessions = agents.flatMap((agent) => agent.sessions);
  return { ...plan, agents, sessions, notReplayed: left(plan.notReplayed) };
}

/** The number of calls, and the cost, of replaying these sessions. */
function figuresOf(
  sessions: readonly PlannedSession[],
  config: Config,
): Pick<Plan, 'calls' | 'moreCalls' | 'looks' | 'gates' | 'mutatingCalls' | 'cost'> {
  const { base, offline } = config;
  // Against a base, both sides make every call.
  const sides = base === undefined ? 1 : 2;
  const planned = sessions.map((session) => {
    const units = unitsOf(session, config);
    const most = (added: readonly number[]) => sides * Math.max(0, ...added);
    return {
      session,
      runs: sides * session.runs.length,
      more: most(units.map(({ more }) => more)),
      usual: most(units.map(({ usual = 0 }) => usual)),
    };
  });
  return {
    ...estimateCalls(planned, config.prices),
    gates: base === undefined || offline ? gatesTold(sessions, config) : baseTold(base, sessions.length),
    mutatingCalls: mutatingCallsIn(sessions, config),
  };
}

export function testedTurnsOf(sessions: readonly PlannedSession[], config: Config): number {
  return testedIn(sessions, config).reduce((sum, { turns }) => sum + turns.length, 0);
}

/** Names of what is tested: each turn, or each session whose turns build on each other. */
export function testedNames({ sessions }: Plan, config: Config): string[] {
  return testedIn(sessions, config).map(({ id }) => id);
}

function testedIn(sessions: readonly PlannedSession[], config: Config): readonly GateUnit[] {
  const tested = sessions.filter(({ quarantine }) => quarantine === undefined);
  return tested.flatMap((session) => unitsOf(session, { ...config, base: undefined }));
}

/** What a plan will find out, also about sessions that cannot be replayed. */
export function scopeOf({ runs, problems, sessions, notReplayed }: Plan): RunScope {
  return { runs, problems, sessions: [...sessions, ...notReplayed] };
}

/** An agent with its id, and with an absolute working folder. */
export type ConfiguredAgent = Omit<PlannedAgent, 'sessions'>;

export function namedAgents({ agent, agents }: Pick<Config, 'agent' | 'agents'>) {
  if (agents !== undefined) return Object.entries(agents);
  return agent === undefined ? [] : [[agent.id, agent] as const];
}

/** @throws AgentReplayError `CONFIG_INVALID` if there is no agent */
export function configuredAgents(config: Config): ConfiguredAgent[] {
  const named = namedAgents(config);
  if (named.length === 0) {
    throw new AgentReplayError('CONFIG_INVALID', 'No agent is configured.', {
      hint: 'Set agent.url, and agent.command to have it started (--url, --start).',
    });
  }
  return named.map(([id, options]) => ({
    id,
    options: { ...options, id, cwd: path.resolve(config.root, options.cwd ?? '.') },
  }));
}

/**
 * A session by its id, the path of its pin or the name of that file.
 * @throws AgentReplayError `NO_SESSIONS`
 */
export function sessionNamed(sessions: readonly PlannedSession[], name: string): PlannedSession {
  const meant = sessions.find(({ pin }) => isNamed(pin, name));
  if (meant !== undefined) return meant;
  throw new AgentReplayError('NO_SESSIONS', `There is no pinned session "${name}".`, {
    evidence: sessions.map(({ pin }) => `there is: ${path.basename(pin.path, '.session.json')}`),
    hint: 'Give the id of a session, the path of its pin, or the name of that file.',
  });
}

export function agentFor(
  { session }: { readonly session: Pick<Pin['session'], 'agentId'> },
  agents: readonly ConfiguredAgent[],
): ConfiguredAgent | undefined {
  const [only, ...others] = agents;
  if (others.length === 0 && (only?.id === undefined || session.agentId === undefined)) return only;
  return agents.find(({ id }) => id === session.agentId);
}

function noAgentFor(
  { session, path: file, locate }: PlannedSession['pin'],
  agents: readonly ConfiguredAgent[],
): AgentReplayError {
  const pointer = '/agentId';
  const recordedWith =
    session.agentId === undefined
      ? 'does not say with which agent'
      : `was recorded with the agent "${session.agentId}"`;
  return new AgentReplayError(
    'PIN_NOT_REPLAYABLE',
    `The session ${recordedWith}, and the configuration has ${agents.map(({ id }) => `"${id}"`).join(', ')}.`,
    {
      location: { file, ...locate?.(pointer), pointer },
      hint:
        agents.length === 1 && session.agentId !== undefined
          ? `If it is the same agent, set agent.id to ${JSON.stringify(session.agentId)}; otherwise add it under agents.`
          : 'Add that agent under agents, or correct agentId in the pin.',
    },
  );
}

/**
 * Sessions judged run by run because their agent does the same each time. All of an agent's pins say so, not only those that
 * are meant.
 * @param all the configured pins, if they have been read
 */
export async function steadyIn(
  meant: readonly Pin[],
  all: readonly Pin[] | undefined,
  config: Config,
  agents: readonly ConfiguredAgent[],
): Promise<ReadonlySet<string>> {
  if (config.gate !== undefined || !meant.some(isOftenRecorded)) return new Set();
  const pins = all ?? (await meantPins({ ...config, allowEmpty: true }, {})).pins;
  const named = new Set(pins.map(({ session }) => session.id));
  // A pin may be named that the configuration leaves out.
  const known = [...pins, ...meant.filter(({ session }) => !named.has(session.id))];
  const concerned = new Set(meant.map((pin) => agentFor(pin, agents)));
  const groups = Map.groupBy(known, (pin) => agentFor(pin, agents));
  const found = [...groups].flatMap(([agent, of]) => (concerned.has(agent) ? [...steadySessions(of, config)] : []));
  return new Set(found);
}

/** What a run of a pin is judged by, by its recordings and those of its agent. */
export async function gateOfPin(pin: Pin, config: Config): Promise<string> {
  const own = ownSettingsOf(config, pin.path);
  const settings = withOwn(config, own);
  const steady = await steadyIn(
    [pin],
    undefined,
    settings,
    config.agent || config.agents ? configuredAgents(config) : [],
  );
  const gate = steady.has(pin.session.id) ? STEADY : {};
  return gateOfSession(plannedSession(pin, undefined, config, gate), settings).name;
}

/** Tools declared mutating that a run of a pin alone would call for real, as far as its recording tells. */
export function mutatingToolsOf(pin: Pin, config: Config): string[] {
  return [...mutatingCallsIn([plannedSession(pin, undefined, config, {})], config).keys()];
}

export function plannedSession(
  pin: Pin,
  only: number | undefined,
  config: Config,
  decided: Pick<PlannedSession, 'gate'>,
): PlannedSession {
  const own = ownSettingsOf(config, pin.path);
  const wanted = pin.turns.map((_, index) => index + 1).filter((turn) => only === undefined || turn === only);
  const problems = wanted.flatMap((turn) => {
    const status = pin.turns[turn - 1];
    return status?.ok === false ? [notReplayable(pin, turn, status.reason)] : [];
  });
  const turns = wanted.filter((turn) => pin.turns[turn - 1]?.ok);
  const planned = { pin, turns, ...(Object.keys(own).length > 0 && { own }), ...decided, problems };
  return { ...planned, runs: config.offline ? pathsOf(planned, config) : firstRunsOf(planned, config) };
}

/** A run for each way in which the model answered in a recording. */
function pathsOf({ pin, turns, own }: Pick<PlannedSession, 'pin' | 'turns' | 'own'>, config: Config): number[] {
  const { compare } = withOwn(config, own);
  const counts = turns.flatMap((turn) => {
    const pinned = pin.session.turns[turn - 1];
    return pinned === undefined ? [] : new RecordedTurn(pinned, compare).paths().length;
  });
  return runNumbers(Math.max(1, ...counts));
}

function idleNotes(config: Config, pins: readonly Pin[]): string[] {
  const patterns = idlePatterns(
    config,
    pins.map(({ path }) => path),
  );
  return patterns.map((pattern) => `no pin matches ${pattern} of overrides, so this entry applies to no session`);
}

/** Words of the pins that are masked because a variable holds them. */
function maskedWords(config: Config, pins: readonly Pin[]): string[] {
  return secretWords(config, process.env).flatMap(([name, word]) => {
    const pin = pins.find(({ session }) => JSON.stringify(session).includes(word));
    if (pin === undefined) return [];
    return `the value of ${name} stands in ${pin.path}: it is masked everywhere, so a change of it is not seen`;
  });
}

/** Tools that a note names; whoever declares these sees the next. */
const NAMED_TOOLS = 5;

/** Which tools count as writing because nothing is known of them, and what declares them; empty if there are none. */
export function unknownToolsNote(
  { compare }: Pick<Config, 'compare'>,
  pins: readonly Pick<Pin, 'session'>[],
): string[] {
  const recordings = pins.flatMap(({ session }) => session.turns.map(({ recorded }) => recorded));
  const names = unknownTools(recordings, compare);
  if (names.length === 0) return [];
  const shown = names.slice(0, NAMED_TOOLS);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  const declared = shown.map((name) => `${JSON.stringify(name)}: { readOnly: true }`).join(', ');
  const told =
    names.length === 1
      ? 'only reads, so its calls count as changes. Declare it if it does'
      : 'only read, so their calls count as changes. Declare those that do';
  return [`nothing says whether ${shown.join(', ')}${more} ${told}: compare: { tools: { ${declared} } }`];
}

function hasRun({ root }: Config): boolean {
  return existsSync(path.join(root, OUR_FOLDER, 'report.json'));
}

function noSuchTurn(turn: number | undefined): AgentReplayError {
  return new AgentReplayError('NO_SESSIONS', `No session has a turn ${turn}.`, {
    hint: 'Turns count from 1; correct --turn.',
  });
}

function notReplayable({ path: file, locate }: Pin, turn: number, reason: string): AgentReplayError {
  const pointer = `/turns/${turn - 1}`;
  return new AgentReplayError('PIN_NOT_REPLAYABLE', `Turn ${turn} cannot be replayed: ${reason}.`, {
    location: { file, ...locate(pointer), pointer },
    hint: 'Pin the session again from a trace that holds the request, or take the pin out.',
  });
}

/** Tools that replays call for real and that may write. */
export interface WritingTools {
  /** Sorted. */
  readonly names: readonly string[];
  /** They are declared mutating or critical. False: no tool is declared so, and these are all tools not declared `readOnly`. */
  readonly areDeclared: boolean;
}

export function writingTools({ sessions }: Plan, config: Config): WritingTools {
  const areDeclared = sessions.some(({ own }) =>
    Object.values(withOwn(config, own).compare.tools).some(({ mutating, critical }) => mutating || critical),
  );
  const names = liveCallsIn(sessions, config)
    .filter(({ rules }) => (areDeclared ? rules?.mutating || rules?.critical : !rules?.readOnly))
    .map(({ name }) => name);
  return { names: [...new Set(names)].sort(), areDeclared };
}

/** Of the tools declared mutating, by name. For one that is `live` by its own name, somebody has decided that. */
function mutatingCallsIn(sessions: readonly PlannedSession[], config: Config): Map<string, number> {
  const mutating = liveCallsIn(sessions, config).filter(({ rules, isNamed }) => rules?.mutating === true && !isNamed);
  return new Map([...Map.groupBy(mutating, ({ name }) => name)].map(([name, calls]) => [name, calls.length]));
}

/** Recorded calls that replays make for real, with what is declared of their tool. */
function liveCallsIn(sessions: readonly PlannedSession[], config: Config) {
  return sessions.flatMap(({ pin, turns, own }) => {
    const { compare, tools } = withOwn(config, own);
    const policies = new ToolPolicies(tools, compare.tools);
    return turns
      .flatMap((turn) => calledTools(pin.session.turns[turn - 1]?.recorded.observations ?? []))
      .filter((name) => policies.of(name) === 'live')
      .map((name) => ({
        name,
        isNamed: policies.isNamed(name),
        rules: Object.hasOwn(compare.tools, name) ? compare.tools[name] : undefined,
      }));
  });
}
