import path from 'node:path';
import type { TestProject, TestSpecification, Vitest } from 'vitest/node';
import type { Config, ConfigInput, Plan } from '../src/rims.ts';
import { pinnedFile, sibling, testsOf } from './pin-module.ts';
import { SessionReporter } from './reporter.ts';
import type { Running } from './running.ts';
import { AgentFiles, watchAgents } from './watch.ts';
import { nameOfTurn, type PinnedFile, type Wanted, wantedOf } from './wire.ts';

/** Settings that win over those of `agent-replay.config.ts`, by the same names. */
export interface AgentReplayOptions extends Partial<ConfigInput> {
  /** Relative to Vitest's root. Default: searched from there up. */
  readonly config?: string;
  /** Folder of `report.json`, relative to Vitest's root. Default `.agent-replay`; `false` writes nothing. */
  readonly outputDir?: string | false;
}

/** By the plugin's options. */
const hosts = new WeakMap<Vitest, Map<string, Host>>();

/** A plugin at the top level is created again for every project that extends it, but there is to be one agent. */
export function hostOf(vitest: Vitest, options: AgentReplayOptions): Host {
  const known = hosts.get(vitest) ?? new Map<string, Host>();
  hosts.set(vitest, known);
  const key = JSON.stringify(options);
  const host = known.get(key) ?? new Host(options);
  known.set(key, host);
  return host;
}

/** Shared by all projects of one Vitest that have the plugin: the configuration, the agents, the report. */
export class Host {
  readonly #options: AgentReplayOptions;
  readonly #projects: TestProject[] = [];
  #config: Promise<Config> | undefined;
  #plan: Promise<Plan> | undefined;
  #planned: Plan | undefined;
  #starting: Promise<Running> | undefined;
  #running: Running | undefined;
  #users = 0;
  /** In watch mode, until the last run that a change led to has ended. */
  #lastRun = Promise.resolve();
  #endRun = () => {};
  #specifications: readonly TestSpecification[] = [];

  constructor(options: AgentReplayOptions) {
    this.#options = options;
  }

  /** Adds the pins to a project's test files, with everything that they need. */
  async join(project: TestProject, vitest: Vitest): Promise<void> {
    const config = await this.#configFor(vitest);
    const { include, dir, root } = project.config;
    const pins = [config.sessions].flat().map((pattern) => path.resolve(config.root, pattern));
    const pinsFrom = (folder: string) => pins.map((pin) => path.relative(folder, pin).replaceAll(path.sep, '/'));
    include.push(...pinsFrom(dir ?? root));
    project.config.globalSetup = [...[project.config.globalSetup].flat(), sibling('global-setup')];
    project.config.setupFiles = [...[project.config.setupFiles].flat(), sibling('matchers')];
    this.#projects.push(project);
    if (this.#projects.length > 1) return;
    // A pin has no source lines to cover.
    vitest.config.coverage.exclude.push(...pinsFrom(vitest.config.root));
    const outputDir = this.#outputDir(vitest);
    const reporter = new SessionReporter({
      config,
      outputDir,
      isAlone: () => hosts.get(vitest)?.size === 1,
      failure: () => this.#running?.failure,
      onStart: (specifications) => {
        this.#specifications = specifications;
        this.#running?.begin();
      },
      onEnd: () => this.#endRun(),
      isOwn: (name) => this.#projects.some((each) => each.name === name),
    });
    vitest.config.reporters.push(reporter as (typeof vitest.config.reporters)[number]);
    if (vitest.config.watch) this.#watch(vitest, config);
  }

  isPin(file: string): boolean {
    return this.#projects.some((project) => project.matchesTestGlob(file));
  }

  /** The code that defines a pin's tests. */
  async testsOf(pin: string): Promise<string> {
    return testsOf(await this.#pinned(pin));
  }

  async #pinned(file: string): Promise<PinnedFile> {
    const config = (await this.#config) as Config;
    return pinnedFile(file, await this.#planFor(config), config);
  }

  /** What the pins of a project are going to ask for, as far as a file, a shard and the name of a test choose them. */
  async #expectedIn(project: string, vitest: Vitest): Promise<Wanted[]> {
    // A run that ends early, such as with `--bail`, takes no more replays.
    vitest.onCancel(() => this.#running?.end());
    // Where a run may end before its last session, one session is finished before the next is asked for.
    if (vitest.config.bail || ((await this.#config) as Config).maxCost !== undefined) return [];
    const isVitest4 = Number.parseInt(vitest.version, 10) < 5;
    // It chooses the files of a shard later.
    if (isVitest4 && vitest.config.shard !== undefined) return [];
    const expected = this.#specifications.map(async (specification): Promise<Wanted[]> => {
      const { moduleId, testLines, testIds, testNames, testNamePattern } = specification;
      const pattern = testNamePattern ?? vitest.getGlobalTestNamePattern() ?? /^/;
      if (specification.project.name !== project || (testLines ?? testIds ?? testNames) || !this.isPin(moduleId))
        return [];
      const { session } = await this.#pinned(moduleId);
      if (session === undefined) return [];
      const turns = session.turns.map(({ turn }) => turn);
      const wanted = turns.filter((turn) =>
        `${session.name}${isVitest4 ? ' ' : ' > '}${nameOfTurn(turn)}`.match(pattern),
      );
      return wanted.length === 0 ? [] : [wantedOf(session, wanted)];
    });
    return (await Promise.all(expected)).flat();
  }

  /** Starts everything, once for all projects. `stop` ends it when the last project is done. */
  async start({ vitest, name }: TestProject): Promise<Running> {
    this.#users++;
    this.#starting ??= this.#start(vitest);
    this.#running = await this.#starting;
    this.#running.replayExpected(name);
    return this.#running;
  }

  async stop(): Promise<void> {
    if (--this.#users === 0) await this.#running?.[Symbol.asyncDispose]();
  }

  async #start(vitest: Vitest): Promise<Running> {
    const { startRunning } = await import('./running.ts');
    return startRunning(await this.#configFor(vitest), {
      outputDir: this.#outputDir(vitest),
      isUpdating: () => vitest.snapshot.options.updateSnapshot === 'all',
      expectedIn: (project) => this.#expectedIn(project, vitest),
    });
  }

  #watch(vitest: Vitest, config: Config): void {
    const files = new AgentFiles(config);
    watchAgents(vitest, files, (agents) => {
      const sessions = this.#planned?.agents.filter(({ id }) => agents.has(id)).flatMap((agent) => agent.sessions);
      return this.#running?.askersOf(new Set(sessions?.map(({ pin }) => pin.session.id))) ?? [];
    });
    vitest.onTestsRerun(async () => {
      // Vitest calls this for the next run, too, while agents are restarted for the one before.
      const before = this.#lastRun;
      const run = Promise.withResolvers<void>();
      this.#lastRun = run.promise;
      await before;
      this.#endRun = run.resolve;
      this.#plan = undefined;
      const running = this.#running;
      await running?.reload(files.take());
      if (running !== undefined) for (const project of this.#projects) project.provide('agentReplay', running.provided);
    });
  }

  #configFor({ config: { root, watch } }: Vitest): Promise<Config> {
    this.#config ??= readConfig(this.#options, root, watch);
    return this.#config;
  }

  async #planFor(config: Config): Promise<Plan> {
    this.#plan ??= core().then(({ planJob }) => planJob(config));
    this.#planned = await this.#plan;
    return this.#planned;
  }

  #outputDir({ config: { root } }: Vitest): string | undefined {
    const { outputDir = '.agent-replay' } = this.#options;
    return outputDir === false ? undefined : path.resolve(root, outputDir);
  }
}

/** Loaded when needed, so that other importers of the plugin, such as a test file, need not wait for it. */
function core() {
  return import('../src/rims.ts');
}

/** Of these settings parts are merged with the file's; all others are replaced. */
const IN_PARTS = new Set(['agent', 'compare', 'identifiers', 'redact', 'request', 'timeouts', 'tracing']);

async function readConfig(
  { config: file, outputDir: _, ...settings }: AgentReplayOptions,
  cwd: string,
  isWatching: boolean,
): Promise<Config> {
  const given = Object.entries(settings).flatMap(([key, value]): [string, unknown][] =>
    IN_PARTS.has(key) && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([part, inner]) => [`${key}.${part}`, inner])
      : [[key, value]],
  );
  const { loadConfig, expectEnd } = await core();
  const end = expectEnd();
  try {
    const load = (more: readonly [string, unknown][]) =>
      loadConfig({ cwd, file, options: new Map([...given, ...more]) });
    const config = await load([]);
    // Whoever saves a file at each thought is to pay for no model, unless the settings say so. No trace would show whether
    // a tool ran.
    const isOpen = isWatching && config.offline === undefined && config.tracing.source !== 'none';
    const isStarted = Object.values(config.agents ?? { one: config.agent }).every(
      (agent) => agent?.command !== undefined,
    );
    return isOpen && isStarted ? await load([['offline', true]]) : config;
  } finally {
    end.over();
  }
}
