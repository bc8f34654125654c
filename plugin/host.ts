import path from 'node:path';
import type { TestProject, Vitest } from 'vitest/node';
import type { Config, ConfigInput, Plan } from '../src/index.ts';
import { sibling, testsOfPin } from './pin-module.ts';
import { SessionReporter } from './reporter.ts';
import type { Running } from './running.ts';
import { AgentFiles, watchAgents } from './watch.ts';

/** Settings that win over those of `agent-replay.config.ts`, by the same names. */
export interface AgentReplayOptions extends Partial<ConfigInput> {
  /** The configuration file, relative to Vitest's root. Default: searched from there up. */
  readonly config?: string;
  /** Folder of `report.json`, relative to Vitest's root. Default `.agent-replay`; `false`: nothing is written. */
  readonly outputDir?: string | false;
}

/** What all projects of one Vitest that have the plugin share: the configuration, the agents, the report. */
export class Host {
  readonly #options: AgentReplayOptions;
  readonly #projects: TestProject[] = [];
  #config: Promise<Config> | undefined;
  #plan: Promise<Plan> | undefined;
  #planned: Plan | undefined;
  #running: Promise<Running> | undefined;
  #users = 0;

  constructor(options: AgentReplayOptions) {
    this.#options = options;
  }

  /** Adds the pins to the test files of a project, with all that they need. */
  async join(project: TestProject, vitest: Vitest): Promise<void> {
    const config = await this.#configFor(vitest);
    const { include, dir, root } = project.config;
    const patterns = [config.sessions]
      .flat()
      .map((pattern) => path.relative(dir ?? root, path.resolve(config.root, pattern)));
    include.push(...patterns.map((pattern) => pattern.replaceAll(path.sep, '/')));
    project.config.globalSetup = [...[project.config.globalSetup].flat(), sibling('global-setup')];
    project.config.setupFiles = [...[project.config.setupFiles].flat(), sibling('matchers')];
    this.#projects.push(project);
    if (this.#projects.length > 1) return;
    const reporter = new SessionReporter({ config: Promise.resolve(config), outputDir: this.#outputDir(vitest) });
    vitest.config.reporters.push(reporter as (typeof vitest.config.reporters)[number]);
    if (vitest.config.watch) this.#watch(vitest, config);
  }

  isPin(file: string): boolean {
    return this.#projects.some((project) => project.matchesTestGlob(file));
  }

  /** Code that defines the tests of a pin. */
  async testsOf(pin: string): Promise<string> {
    const config = (await this.#config) as Config;
    return testsOfPin(pin, await this.#planFor(config), config);
  }

  /**
   * Starts everything, once for all projects; `stop` ends it when the last of them is done.
   * @throws CouldNotTell
   */
  async start({ vitest }: TestProject): Promise<Running> {
    this.#users++;
    this.#running ??= this.#start(vitest);
    return this.#running;
  }

  async stop(): Promise<void> {
    if (--this.#users === 0) await (await this.#running)?.[Symbol.asyncDispose]();
  }

  async #start(vitest: Vitest): Promise<Running> {
    const { startRunning } = await import('./running.ts');
    return startRunning(await this.#configFor(vitest), {
      outputDir: this.#outputDir(vitest),
      isWatching: vitest.config.watch,
      isUpdating: () => vitest.snapshot.options.updateSnapshot === 'all',
    });
  }

  #watch(vitest: Vitest, config: Config): void {
    const files = new AgentFiles(config);
    let running: Running | undefined;
    watchAgents(vitest, files, {
      touchedBy: (agents) => {
        const sessions = this.#planned?.agents.filter(({ id }) => agents.has(id)).flatMap((agent) => agent.sessions);
        return running?.askersOf(new Set(sessions?.map(({ pin }) => pin.session.id))) ?? [];
      },
    });
    vitest.onTestsRerun(async () => {
      this.#plan = undefined;
      running = await this.#running;
      await running?.reload(files.take());
      if (running !== undefined) for (const project of this.#projects) project.provide('agentReplay', running.provided);
    });
  }

  #configFor({ config: { root } }: Vitest): Promise<Config> {
    this.#config ??= readConfig(this.#options, root);
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

/** Loaded when it is needed: whatever else imports the plugin, a test file for one, need not wait for it. */
function core() {
  return import('../src/index.ts');
}

/** These are merged with the file's by their parts; all others replace them. */
const IN_PARTS = new Set(['agent', 'compare', 'identifiers', 'redact', 'request', 'timeouts', 'tracing']);

async function readConfig(
  { config: file, outputDir: _, ...settings }: AgentReplayOptions,
  cwd: string,
): Promise<Config> {
  const given = Object.entries(settings).flatMap(([key, value]): [string, unknown][] =>
    IN_PARTS.has(key) && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([part, inner]) => [`${key}.${part}`, inner])
      : [[key, value]],
  );
  const { loadConfig } = await core();
  return loadConfig({ cwd, file, options: new Map(given) });
}
