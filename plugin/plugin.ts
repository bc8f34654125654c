import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'vitest/config';
import type { TestProject } from 'vitest/node';
import type { Config, ConfigInput, Plan } from '../src/index.ts';
import type { Running } from './running.ts';
import { type PinnedFile, PLUGIN_NAME } from './wire.ts';

/** Settings that win over those of `agent-replay.config.ts`, by the same names. */
export interface AgentReplayOptions extends Partial<ConfigInput> {
  /** The configuration file, relative to Vitest's root. Default: searched from there up. */
  readonly config?: string;
}

/** What the set-up file, which Vitest loads by itself, needs of the plugin. */
export interface PluginApi {
  /**
   * Starts everything, once for all projects that share the plugin; `stop` ends it when the last of them is done.
   * @throws CouldNotTell
   */
  start(): Promise<Running>;
  stop(): Promise<void>;
}

/** Makes a test file of every pinned session, starts the agent for them, and adds the matchers. */
export function agentReplay(options: AgentReplayOptions = {}): Plugin {
  const projects: TestProject[] = [];
  let config: Promise<Config> | undefined;
  let plan: Promise<Plan> | undefined;
  let running: Promise<Running> | undefined;
  let users = 0;
  const api: PluginApi = {
    start: async () => {
      users++;
      running ??= start(config as Promise<Config>);
      return running;
    },
    stop: async () => {
      if (--users === 0) await (await running)?.[Symbol.asyncDispose]();
    },
  };
  const isPin = (id: string) => projects.some((project) => project.matchesTestGlob(id));

  return {
    name: PLUGIN_NAME,
    api,
    async configureVitest({ vitest, project }) {
      config ??= readConfig(options, vitest.config.root);
      const { root, sessions } = await config;
      const { include, dir, root: projectRoot } = project.config;
      const patterns = [sessions]
        .flat()
        .map((pattern) => path.relative(dir ?? projectRoot, path.resolve(root, pattern)));
      include.push(...patterns.map((pattern) => pattern.replaceAll(path.sep, '/')));
      project.config.globalSetup = [...[project.config.globalSetup].flat(), sibling('global-setup')];
      project.config.setupFiles = [...[project.config.setupFiles].flat(), sibling('matchers')];
      projects.push(project);
      vitest.onCancel(async (reason) => {
        // After a failure (`bail`) what has been begun is brought to its end.
        if (reason === 'keyboard-input') (await running)?.cancel();
      });
    },
    // Vite turns JSON into a module between these two. What is no JSON goes past it as an empty object.
    load: {
      order: 'pre',
      filter: { id: /\.json$/ },
      handler: async (id) => (isPin(id) && !(await isJson(id)) ? '{}' : undefined),
    },
    transform: {
      order: 'post',
      filter: { id: /\.json$/ },
      async handler(code, id) {
        if (!isPin(id)) return undefined;
        const settings = (await config) as Config;
        plan ??= core().then(({ planJob }) => planJob(settings));
        return { code: code + testFile(await pinnedFile(id, await plan, settings)), map: { mappings: '' } };
      },
    },
  };
}

/** Loaded when it is needed: whatever else imports this module, a test file for one, need not wait for it. */
function core() {
  return import('../src/index.ts');
}

/** @throws CouldNotTell */
async function start(config: Promise<Config>): Promise<Running> {
  const [settings, { startRunning }] = await Promise.all([config, import('./running.ts')]);
  return startRunning(settings);
}

/** These are merged with the file's by their parts; all others replace them. */
const IN_PARTS = new Set(['agent', 'compare', 'identifiers', 'redact', 'request', 'timeouts', 'tracing']);

async function readConfig({ config: file, ...settings }: AgentReplayOptions, cwd: string): Promise<Config> {
  const given = Object.entries(settings).flatMap(([key, value]): [string, unknown][] =>
    IN_PARTS.has(key) && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([part, inner]) => [`${key}.${part}`, inner])
      : [[key, value]],
  );
  const { loadConfig } = await core();
  return loadConfig({ cwd, file, options: new Map(given) });
}

/** What a pin is as a test file. */
async function pinnedFile(file: string, plan: Plan, { root, context }: Config): Promise<PinnedFile> {
  const { plannedSessions } = await core();
  const relative = path.relative(await realpath(root), await realpath(file)).replaceAll(path.sep, '/');
  const found = [...plannedSessions(plan), ...plan.notReplayed].find(({ pin }) => pin.path === relative)?.pin;
  const problems = plan.problems.filter(({ location }) => location?.file === relative);
  const { id, title, turns = [] } = found?.session ?? {};
  return {
    file,
    ...(id !== undefined && {
      session: {
        id,
        title,
        inSequence: context === 'sequence',
        turns: turns.map((_, index) => ({
          turn: index + 1,
          ...START,
          ...found?.locate(`/turns/${index}`),
        })),
      },
    }),
    problems: problems.map(({ code, message, evidence, hint, location }) => ({
      code,
      message,
      evidence,
      hint,
      line: location?.line ?? START.line,
      column: location?.column ?? START.column,
    })),
  };
}

const START = { line: 1, column: 1 } as const;

/** What is added to the module of a pin, which goes on to export its JSON. The keys in it are exported by name. */
function testFile(pinned: PinnedFile): string {
  const name = '__agentReplayPinnedSession';
  return `\nimport { pinnedSession as ${name} } from ${JSON.stringify(sibling('pinned'))};\n${name}(${JSON.stringify(pinned)});\n`;
}

async function isJson(file: string): Promise<boolean> {
  try {
    JSON.parse(await readFile(file, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

/** A file beside this one, before and after it is compiled. */
function sibling(name: string): string {
  return path.join(import.meta.dirname, `${name}${path.extname(import.meta.filename)}`).replaceAll(path.sep, '/');
}
