import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { processesWith } from '../../agent/processes.ts';
import { COMPILED } from '../../cli/command.ts';
import { allEnded } from '../../programs.ts';
import { type Pairs, readPairs, readSummary, type Summary } from './command-files.ts';
import { type Annotation, LogReader } from './log-commands.ts';

/** Measured from the cancellation, as the runner does: SIGINT at once, then these. */
const SIGTERM_AFTER_MS = 7_500;
const SIGKILL_AFTER_MS = 10_000;
/** How long a child that holds the pipes is waited for once node has exited. */
const PIPES_MS = 5_000;
const COMMAND_FILES = ['OUTPUT', 'STATE', 'ENV', 'PATH', 'STEP_SUMMARY'] as const;

/** The run of the workflow that every job belongs to. */
export const RUN = { id: 1_658_821_493, number: 7 } as const;

export interface JobOptions {
  /** The checked-out repository. */
  readonly workspace: string;
  /** Folder of action.yml. */
  readonly action: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly event?: { readonly name: string; readonly payload: unknown };
  /** Of the workflow: it wins over the runner's own variables. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface StepResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly conclusion: 'success' | 'failure' | 'cancelled';
  readonly outputs: Readonly<Record<string, string>>;
  readonly env: Pairs;
  readonly state: Pairs;
  /** What later steps find on their path. */
  readonly path: readonly string[];
  readonly summary: Summary;
  readonly annotations: readonly Annotation[];
  readonly masks: ReadonlySet<string>;
  /** With the masks applied. */
  readonly log: string;
  /** As the process wrote it. */
  readonly rawLog: string;
  readonly commands: readonly string[];
  /** Ids of processes that carry the tracking id of the job right after the step. */
  readonly leftovers: readonly number[];
}

export interface RunningStep {
  readonly pid: number;
  readonly finished: Promise<StepResult>;
  /** Resolves when the log matches; rejects when the step ends before. */
  printed(pattern: RegExp): Promise<void>;
  /** As a person who presses "Cancel workflow". */
  cancel(): void;
  /** As a machine that runs out of memory. */
  kill(): void;
}

/**
 * A job of one step that uses an action, and of its post step, without the rest of a workflow: a stand-in written from
 * the source of actions/runner, which has no offline mode.
 */
export class Job implements AsyncDisposable {
  readonly trackingId = `github_${randomUUID()}`;
  readonly #options: JobOptions;
  readonly #temp: string;
  readonly #definition: ActionDefinition;
  readonly #masks = new Set<string>();
  #state: Readonly<Record<string, string>> = {};

  private constructor(options: JobOptions, temp: string, definition: ActionDefinition) {
    this.#options = options;
    this.#temp = temp;
    this.#definition = definition;
    // The token of a workflow is known as a secret from the start; so is what `secrets.*` gave.
    for (const [name, value] of Object.entries(options.inputs ?? {}))
      if (/token|secret/.test(name) && value !== '') this.#masks.add(value);
  }

  static async create(options: JobOptions): Promise<Job> {
    const temp = await mkdtemp(path.join(tmpdir(), 'runner-'));
    const definition = parse(readFileSync(path.join(options.action, 'action.yml'), 'utf8'));
    await writeFile(path.join(temp, 'event.json'), JSON.stringify(options.event?.payload ?? {}));
    return new Job(options, temp, definition);
  }

  main(): Promise<RunningStep> {
    return this.#start('main', this.#definition.runs.main);
  }

  /**
   * With the default condition `always()`.
   * @param inputs of which the runner only now knows the value: it evaluates all of them again
   */
  async post(inputs: JobOptions['inputs'] = {}): Promise<StepResult> {
    const { post } = this.#definition.runs;
    if (post === undefined) throw new Error('the action has no post step');
    return (await this.#start('post', post, inputs)).finished;
  }

  /** Ids of processes that are still there. */
  leftovers(): number[] {
    return processesWith(this.trackingId);
  }

  /** The end of the job, which kills what carries its tracking id. */
  async [Symbol.asyncDispose](): Promise<void> {
    await allEnded(() => this.leftovers());
    await rm(this.#temp, { recursive: true, force: true });
  }

  async #start(stage: 'main' | 'post', script: string, known: JobOptions['inputs'] = {}): Promise<RunningStep> {
    const folder = path.join(this.#temp, stage);
    await mkdir(folder);
    for (const name of COMMAND_FILES) await writeFile(path.join(folder, name), '');
    const child = spawn(process.execPath, [path.join(this.#options.action, script)], {
      cwd: this.#options.workspace,
      env: this.#environment(folder, known),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const reader = new LogReader(this.#masks);
    const streams = followed(child, reader);
    const cancelling = new AbortController();
    const end = async (): Promise<StepResult> => {
      const { code, signal } = await streams.exited;
      cancelling.abort();
      await streams.closed;
      const files = Object.fromEntries(
        await Promise.all(COMMAND_FILES.map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')])),
      );
      const outputs = readPairs(files.OUTPUT);
      const env = readPairs(files.ENV);
      const state = readPairs(files.STATE);
      if (stage === 'main') this.#state = state.pairs;
      const broken = [outputs, env, state].some(({ error }) => error !== undefined);
      const failed = code !== 0 || reader.failed || broken;
      const summary = readSummary(files.STEP_SUMMARY);
      return {
        exitCode: code,
        signal,
        conclusion: streams.isCancelled() ? 'cancelled' : failed ? 'failure' : 'success',
        outputs: outputs.pairs,
        env,
        state,
        path: files.PATH.split('\n').filter(Boolean),
        summary: { ...summary, text: reader.masked(summary.text) },
        annotations: reader.annotations,
        masks: reader.masks,
        log: reader.lines.join('\n'),
        rawLog: streams.raw(),
        commands: reader.commands,
        leftovers: this.leftovers(),
      };
    };
    const finished = end();
    return {
      pid: child.pid!,
      finished,
      printed: (pattern) => streams.printed(pattern),
      cancel: () => {
        streams.cancel();
        child.kill('SIGINT');
        const later = async (ms: number, signal: NodeJS.Signals) => {
          await sleep(ms, undefined, { signal: cancelling.signal });
          child.kill(signal);
        };
        void later(SIGTERM_AFTER_MS, 'SIGTERM').catch(() => {});
        void later(SIGKILL_AFTER_MS, 'SIGKILL').catch(() => {});
      },
      kill: () => child.kill('SIGKILL'),
    };
  }

  /** Made from a fixed list, never inherited. `GITHUB_TOKEN` is not in it: only an input brings the token. */
  #environment(folder: string, known: JobOptions['inputs']): Record<string, string> {
    const { workspace, event, env } = this.#options;
    const name = event?.name ?? 'push';
    const files = COMMAND_FILES.map((file) => [`GITHUB_${file}`, path.join(folder, file)] as const);
    const state = Object.entries(this.#state).map(([key, value]) => [`STATE_${key}`, value] as const);
    return {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      CI: 'true',
      NODE_COMPILE_CACHE: COMPILED,
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKSPACE: workspace,
      GITHUB_EVENT_NAME: name,
      GITHUB_EVENT_PATH: path.join(this.#temp, 'event.json'),
      GITHUB_REPOSITORY: 'Codertocat/Hello-World',
      GITHUB_SHA: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
      GITHUB_REF: name === 'pull_request' ? 'refs/pull/2/merge' : 'refs/heads/main',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: what a shell would make of it is the point
      GITHUB_HEAD_REF: name === 'pull_request' ? 'zzz";echo${IFS}hi;#' : '',
      GITHUB_BASE_REF: name === 'pull_request' ? 'main' : '',
      GITHUB_RUN_ID: String(RUN.id),
      GITHUB_RUN_NUMBER: String(RUN.number),
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_WORKFLOW: 'agent',
      GITHUB_JOB: 'replay',
      GITHUB_ACTOR: 'Codertocat',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_API_URL: 'http://127.0.0.1:9',
      GITHUB_GRAPHQL_URL: 'http://127.0.0.1:9/graphql',
      RUNNER_OS: 'Linux',
      RUNNER_TEMP: this.#temp,
      RUNNER_TRACKING_ID: this.trackingId,
      ACTIONS_RUNTIME_TOKEN: 'canary-runtime-token',
      ACTIONS_RUNTIME_URL: 'https://runtime.invalid/',
      ACTIONS_RESULTS_URL: 'https://results.invalid/',
      ACTIONS_CACHE_URL: 'https://cache.invalid/',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'canary-id-token',
      ACTIONS_ID_TOKEN_REQUEST_URL: 'https://id.invalid/',
      ...this.#inputs(known),
      ...Object.fromEntries(files),
      ...Object.fromEntries(state),
      ...env,
    };
  }

  /** Upper case, blanks made underscores, dashes kept; what is declared and not given is empty. */
  #inputs(known: JobOptions['inputs']): Record<string, string> {
    const { inputs = {} } = this.#options;
    const declared = Object.entries(this.#definition.inputs ?? {}).map(
      ([name, { default: preset = '' }]) => [name, preset.includes('${{') ? '' : preset] as const,
    );
    const merged: Record<string, string> = { ...Object.fromEntries(declared), ...inputs, ...known };
    const named = Object.entries(merged).map(
      ([name, value]) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, value] as const,
    );
    return Object.fromEntries(named);
  }
}

interface ActionDefinition {
  readonly inputs?: Readonly<Record<string, { default?: string }>>;
  readonly runs: { readonly main: string; readonly post?: string };
}

/** Reads both streams line by line, as they come. */
function followed(child: ChildProcess, reader: LogReader) {
  let raw = '';
  let cancelled = false;
  const watchers = new Set<() => void>();
  const ended = [child.stdout!, child.stderr!].map(async (stream) => {
    let unfinished = '';
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      raw += text;
      const lines = `${unfinished}${text}`.split(/\r\n|\n|\r(?!$)/);
      unfinished = lines.pop() ?? '';
      for (const line of lines) reader.read(line);
      for (const watch of watchers) watch();
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    stream.on('close', () => {
      for (const line of LogReader.linesOf(unfinished)) reader.read(line);
      resolve();
    });
    await promise;
  });
  const { promise: exited, resolve } = Promise.withResolvers<{ code: number | null; signal: NodeJS.Signals | null }>();
  child.on('exit', (code, signal) => resolve({ code, signal }));
  const closed = exited.then(async () => {
    const over = new AbortController();
    await Promise.race([Promise.all(ended), sleep(PIPES_MS, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
    child.stdout!.destroy();
    child.stderr!.destroy();
  });
  return {
    exited,
    closed,
    raw: () => raw,
    cancel: () => {
      cancelled = true;
    },
    isCancelled: () => cancelled,
    printed: async (pattern: RegExp) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const watch = () => pattern.test(raw) && resolve();
      watchers.add(watch);
      watch();
      void closed.then(() => reject(new Error(`${pattern} was not printed:\n${raw}`)));
      await promise.finally(() => watchers.delete(watch));
    },
  };
}
