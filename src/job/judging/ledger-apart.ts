import { Worker } from 'node:worker_threads';
import { AgentReplayError } from '../../errors.ts';
import { parseJson } from '../../json/index.ts';
import type { FurtherRuns } from '../../replay/index.ts';
import type { BaseCommit, Report, TracingSum } from '../../report/index.ts';
import type { NoBase } from '../journal/journal-format.ts';
import { errorOf } from '../journal/read-journal.ts';
import type { Finding } from './finding.ts';
import type { Judged, JudgeTexts } from './judge.ts';
import { Ledger, type LedgerPart } from './ledger.ts';
import { type Answered, type Asked, written } from './ledger-messages.ts';
import type { RunScope } from './run-scope.ts';
import type { RunSettings } from './run-settings.ts';
import type { Behaviour } from './session-progress.ts';

/** How long a comparison that is under way is waited for once the run is given up: CI gives 7.5 s for everything. */
const PATIENCE_MS = 2_000;

/** This file as it is run: from its sources, or bundled, and then the thread stands beside it. */
const THREAD = new URL(import.meta.url.endsWith('.ts') ? './ledger-thread.ts' : './ledger-thread.js', import.meta.url);

/** Who waits for an answer. */
interface Pending {
  readonly resolve: (value: string | undefined) => void;
  readonly reject: (error: AgentReplayError) => void;
}

/**
 * A ledger in a thread of its own: to compare megabytes takes seconds, and meanwhile signals are heeded, other replays
 * go on and limits of time are kept. Where it does not come to an end once the run is given up it is left behind, and
 * {@link LedgerApart.report} tells what is known without it.
 */
export class LedgerApart implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #pending: Pending[] = [];
  readonly #settings: RunSettings;
  readonly #scope: RunScope;
  readonly #part: LedgerPart;
  readonly #failures: { readonly error: AgentReplayError; readonly sessions: readonly string[] }[] = [];
  /** Ids of the sessions that are not over, as of what has been answered. */
  readonly #open: Set<string>;
  #hasShift: Promise<boolean> = Promise.resolve(false);
  #lost: AgentReplayError | undefined;
  #reason: AgentReplayError | undefined;

  private constructor(settings: RunSettings, scope: RunScope, part: LedgerPart) {
    this.#settings = settings;
    this.#scope = scope;
    this.#part = part;
    this.#open = new Set(scope.sessions.map(({ pin }) => pin.session.id));
    this.#worker = new Worker(THREAD);
    this.#worker.on('message', (answered: Answered) => this.#take(answered));
    this.#worker.on('error', (cause) => this.#lose(comparisonDied(cause)));
    this.#worker.on('exit', () => this.#lose(comparisonDied(undefined)));
  }

  /**
   * Returns at once: while the thread starts, the agent can be started, too.
   * @param signal gives up waiting for it, with some patience
   */
  static open(
    settings: RunSettings,
    scope: RunScope,
    { signal, ...part }: LedgerPart & { readonly signal?: AbortSignal | undefined },
  ): LedgerApart {
    const ledger = new LedgerApart(settings, scope, part);
    const giveUp = () => setTimeout(() => ledger.#lose(notCompared()), PATIENCE_MS).unref();
    if (signal?.aborted) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
    const opened = ledger.#ask({ do: 'open', settings: written(settings), scope: written(scope), part });
    // What kept it from being opened keeps it from answering whatever it is asked next.
    ledger.#hasShift = opened.then(
      (value) => read(value) ?? false,
      () => false,
    );
    return ledger;
  }

  /** Whether any session is judged by shift. */
  get hasShift(): Promise<boolean> {
    return this.#hasShift;
  }

  isOver(session: string): boolean {
    return !this.#open.has(session);
  }

  /** See {@link Ledger.isInDoubt}. */
  async isInDoubt(): Promise<boolean> {
    return read(await this.#ask({ do: 'isInDoubt' })) ?? false;
  }

  /** See {@link Ledger.take}. */
  async take(finding: Finding): Promise<readonly Behaviour[] | undefined> {
    return read(await this.#ask({ do: 'take', finding: written(finding) }));
  }

  /** See {@link Ledger.reopen}. */
  async reopen(
    session: string,
    before: readonly Finding[] | AgentReplayError,
    after: readonly Finding[],
    side?: 'base' | undefined,
  ): Promise<readonly Behaviour[]> {
    const known = before instanceof AgentReplayError ? { lost: before } : { findings: before };
    return read(await this.#ask({ do: 'reopen', session, before: written(known), after: written(after), side })) ?? [];
  }

  /** See {@link Ledger.secondLooks}. */
  async secondLooks(sessions: readonly string[]): Promise<readonly FurtherRuns[]> {
    return read(await this.#ask({ do: 'secondLooks', sessions })) ?? [];
  }

  fail(error: AgentReplayError, sessions: readonly string[]): void {
    this.#failures.push({ error, sessions });
    this.#tell({ do: 'fail', given: written({ error, sessions }) });
  }

  /** See {@link Ledger.against}. */
  against(base: BaseCommit): void {
    this.#tell({ do: 'against', given: written(base) });
  }

  /** See {@link Ledger.withoutBase}. */
  withoutBase(why: NoBase): void {
    this.#tell({ do: 'withoutBase', given: written(why) });
  }

  /** See {@link Ledger.questions}. None where the comparison was left behind. */
  async questions(): Promise<readonly JudgeTexts[]> {
    return read(await this.#ask({ do: 'questions' }).catch(() => '[]')) ?? [];
  }

  /** See {@link Ledger.judge}. */
  judge(judgements: readonly Judged[]): void {
    this.#tell({ do: 'judge', given: written(judgements) });
  }

  traced(sum: TracingSum): void {
    this.#tell({ do: 'traced', given: written(sum) });
  }

  log(lines: readonly string[]): void {
    this.#tell({ do: 'log', given: written(lines) });
  }

  /** See {@link Ledger.close}. */
  async close(reason: AgentReplayError | undefined): Promise<readonly Behaviour[]> {
    this.#reason = reason;
    return read(await this.#ask({ do: 'close', given: written({ reason }) }).catch(() => '[]')) ?? [];
  }

  /** See {@link Ledger.report}. Where the comparison was left behind, one that says so. */
  async report(about: Parameters<Ledger['report']>[0]): Promise<Report> {
    const told = await this.#ask({ do: 'report', given: written(about) }).catch((error: AgentReplayError) => error);
    if (!(told instanceof AgentReplayError)) return read(told) as Report;
    const ledger = new Ledger(this.#settings, this.#scope, this.#part);
    for (const { error, sessions } of this.#failures) ledger.fail(error, sessions);
    ledger.fail(told);
    ledger.close(this.#reason ?? told);
    return ledger.report(about);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(asked: Asked): Promise<string | undefined> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
    this.#pending.push({ resolve, reject });
    this.#worker.postMessage(asked);
    return promise;
  }

  #tell(asked: Asked): void {
    this.#ask(asked).catch(() => {});
  }

  /** In the order in which it was asked. */
  #take({ value, error, sessions }: Answered): void {
    for (const [id, isOver] of sessions) {
      if (isOver) this.#open.delete(id);
      else this.#open.add(id);
    }
    const pending = this.#pending.shift();
    if (error === undefined) pending?.resolve(value);
    else pending?.reject(errorOf(error));
  }

  #lose(error: AgentReplayError): void {
    if (this.#lost !== undefined) return;
    this.#lost = error;
    for (const { reject } of this.#pending.splice(0)) reject(error);
    void this.#worker.terminate();
  }
}

function read<T>(text: string | undefined): T | undefined {
  return text === undefined ? undefined : (parseJson(text) as T);
}

/** Nothing is lost by it: the journal has all that was replayed. */
function notCompared(): AgentReplayError {
  return new AgentReplayError('INTERRUPTED', 'The run was given up while replays were being compared.', {
    hint: 'What was replayed is in the journal: `agent-replay merge FOLDER`, with the output folder, compares it.',
  });
}

function comparisonDied(cause: unknown): AgentReplayError {
  const reason = cause instanceof Error ? cause.message : 'it left no reason';
  return new AgentReplayError('INTERNAL', 'The comparison stopped before it was finished.', {
    evidence: [`met: ${reason}`],
    hint: 'If it ran out of memory give Node more (NODE_OPTIONS=--max-old-space-size=8192), then `agent-replay merge FOLDER`, with the output folder, compares what was replayed.',
    cause,
  });
}
