import path from 'node:path';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node';
import type { AgentReplayError, Config, Problem, Report, SessionResult } from '../src/rims.ts';
import { CouldNotTell } from './failures.ts';
import { printToStderr, safeText } from './safe.ts';
import { AgentFiles } from './watch.ts';
import type { PinMeta } from './wire.ts';

interface SessionReporterOptions {
  readonly config: Config;
  /** Absolute; undefined writes nothing. */
  readonly outputDir: string | undefined;
  /** Whether this reporter handles the pins of a project. */
  readonly isOwn: (project: string) => boolean;
  /** Whether no other plugin of this Vitest reports to the same folder. */
  readonly isAlone: () => boolean;
  /** Why nothing could be started. */
  readonly failure: () => AgentReplayError | undefined;
  readonly onStart: (specifications: readonly TestSpecification[]) => void;
  readonly onEnd: () => void;
}

const INTERRUPTED: Problem = {
  code: 'INTERRUPTED',
  message: 'Vitest ended the run before all sessions were replayed.',
  evidence: [],
};

/** The results of one project's pins. */
interface Told extends PinMeta {
  readonly project: string;
}

/**
 * Writes `report.json` and ends the run with the table of sessions. It knows only what Vitest tells every reporter, so a
 * whole run, one shard, and the merged blobs of all shards give the same.
 */
export class SessionReporter implements Reporter {
  readonly #options: SessionReporterOptions;
  #vitest: Vitest | undefined;

  constructor(options: SessionReporterOptions) {
    this.#options = options;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#options.onStart(specifications);
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): Promise<void> {
    await this.#reportRun(modules, errors, reason).finally(this.#options.onEnd);
  }

  async #reportRun(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): Promise<void> {
    const told = modules.flatMap((module): Told[] => {
      const { agentReplay } = module.meta();
      return agentReplay === undefined || !this.#options.isOwn(module.project.name)
        ? []
        : [{ project: module.project.name, ...agentReplay }];
    });
    const problems = errors.flatMap(({ name, message }) => CouldNotTell.problemIn({ name, message }) ?? []);
    // Vitest has printed what kept a test or itself from running.
    const printed = [...problems, ...told.flatMap((part) => part.problems)];
    const failure = this.#options.failure();
    if (failure !== undefined) problems.push((await import('../src/rims.ts')).toProblem(failure));
    // Vitest drops the results of files that it stopped (`--bail`, Ctrl-C), so the rest must not look complete.
    if (reason === 'interrupted') problems.push(INTERRUPTED);
    const projects = Map.groupBy(told, ({ project }) => project);
    if (projects.size === 0 && problems.length > 0) projects.set('', []);
    const isOne = projects.size <= 1 && this.#options.isAlone();
    for (const [project, parts] of projects) await this.#report(isOne ? '' : project, parts, problems, printed);
  }

  /**
   * @param project its name, if there are several
   * @param printed problems that Vitest has printed
   */
  async #report(
    project: string,
    parts: readonly PinMeta[],
    problems: readonly Problem[],
    printed: readonly Problem[],
  ): Promise<void> {
    const { joinReports, renderTerminal, reportIn, writeReport } = await import('../src/rims.ts');
    const { outputDir } = this.#options;
    const dir = outputDir && path.join(outputDir, folderNamed(project));
    const joined = await joinReports(
      this.#options.config,
      parts.flatMap((part) => part.report ?? []),
      {
        problems: [...parts.flatMap((part) => part.problems), ...problems],
        tested: parts.flatMap((part) => part.tested),
        command: 'vitest',
      },
    );
    const report = dir === undefined ? joined : reportIn(joined, path.relative('', dir));
    // What no single test failed for: a shift of all, a session without its model, an agent that did not start.
    if (report.results.status !== 'passed') process.exitCode ||= 1;
    if (dir !== undefined) {
      await writeReport(report, { dir, formats: ['json', 'markdown', 'html'] }).catch((error) => {
        printToStderr(`${error.code} ${safeText(error.message)}`);
        // A run must not pass without its report.
        process.exitCode ||= 1;
      });
    }
    const { isTTY, columns } = process.stderr;
    const table = renderTerminal(report, { colour: isTTY && process.stderr.hasColors(), columns, printed });
    const lines = [...parts.flatMap(({ accepted }) => accepted), ...this.#notes(report)];
    printToStderr(['', ...(project === '' ? [] : [safeText(project)]), table + lines.join('\n')].join('\n'));
  }

  #notes({ results: { sessions } }: Report): string[] {
    const notes: string[] = [];
    if (this.#vitest?.config.watch && this.#options.config.offline) {
      notes.push(
        'note: while Vitest watches, the model answers as recorded, and nothing is accepted; `offline: false` asks it',
      );
    }
    if (this.#vitest?.config.watch && new AgentFiles(this.#options.config).places.length === 0) {
      notes.push(
        "note: an edit of the agent reruns nothing, as no `agent.watch` says which files are its own: ['src/**']",
      );
    }
    if (this.#vitest?.snapshot.options.updateSnapshot === 'all') {
      notes.push(...sessions.filter(isObsolete).map(obsoleteNote));
    }
    if (this.#vitest?.config.retry && sessions.some(({ verdict }) => verdict === 'varies')) {
      notes.push('note: `retry` is not used for pinned sessions: it would hide an agent that varies');
    }
    return notes;
  }
}

/** Its agent is no longer configured, or nothing in it can be replayed. */
function isObsolete({ turns, problems }: SessionResult): boolean {
  return turns.length === 0 && problems.some(({ code }) => code === 'PIN_NOT_REPLAYABLE');
}

function obsoleteNote({ pin, problems }: SessionResult): string {
  return safeText(`obsolete: ${pin}: ${problems[0]?.message}`);
}

/** A project's name may be any text. */
function folderNamed(project: string): string {
  return project.replace(/[^\w.-]+/g, '-').replace(/^\.+/, '');
}
