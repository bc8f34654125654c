import type { AgentReplayError } from '../../errors.ts';
import { present } from '../../json/index.ts';
import { redactRecordingTexts, redactTexts } from '../../redaction/index.ts';
import { toProblem } from '../../report/index.ts';
import type { Session } from '../../session/index.ts';
import { redactSessionTexts } from '../../session/index.ts';
import type { Finding } from '../judging/finding.ts';
import type { Judged } from '../judging/judge.ts';
import { JOURNAL_VERSION } from '../records/journal-file.ts';
import type { JournalEnd, JournalHeader, Line, Remark } from '../records/journal-format.ts';
import { behaviourDigest, startOf } from '../records/recording-digest.ts';
import type { JournalledRun } from './read-journal.ts';

interface JournalOptions {
  /** Takes each line, without its line feed. */
  readonly add: (line: string) => void;
  /** Replaces secrets in everything that comes from outside. */
  readonly redact: (text: string) => string;
}

/**
 * The lines in which a run keeps what it finds out: a crash loses none of it, shards can be merged, and a session can be
 * compared again when a trace of it has changed. They grow with the distinct behaviours, and by one short line per replay.
 */
export class Journal {
  readonly #options: JournalOptions;
  /** Ids of the pins that have a line, as written. */
  readonly #pins = new Set<string>();
  readonly #digests = new Set<string>();
  #startedMs = performance.now();

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  begin(about: JournalHeader): void {
    const { settings, startedAt: _, ...told } = about;
    this.#put({ type: 'journal', version: JOURNAL_VERSION, ...about, ...this.#foreign(told), settings });
  }

  /** Goes on where these lines end. @param elapsedMs since the start of the run */
  goOn({ pins, recordings }: JournalledRun, elapsedMs: number): void {
    for (const id of pins.keys()) this.#pins.add(id);
    for (const digest of recordings.keys()) this.#digests.add(digest);
    this.#startedMs = performance.now() - elapsedMs;
  }

  /** Since the start of the run. */
  get elapsedMs(): number {
    return performance.now() - this.#startedMs;
  }

  write({ session, outcome, replayRunId, callError, warnings, replaced, ...finding }: Finding, pinned: Session): void {
    this.#putPin(pinned);
    const told = {
      session: this.#foreign(session),
      ...finding,
      replayRunId,
      ...present({
        callError: callError && this.#problem(callError),
        warnings: warnings?.map((each) => this.#problem(each)),
        replaced: replaced?.map((each) => ({ ...each, message: this.#foreign(each.message) })),
      }),
      atMs: Math.round(this.elapsedMs),
    };
    if (outcome.kind === 'unverified') {
      this.#put({ type: 'result', ...told, error: this.#problem(outcome.error) });
      return;
    }
    const digest = behaviourDigest(outcome.recording);
    if (!this.#digests.has(digest)) {
      this.#digests.add(digest);
      this.#put({
        type: 'behaviour',
        digest,
        recording: redactRecordingTexts(outcome.recording, this.#options.redact),
      });
    }
    this.#put({ type: 'result', ...told, behaviour: digest, clock: startOf(outcome.recording) });
  }

  /** Notes a failure that keeps sessions, by id, from being replayed. */
  fail(error: AgentReplayError, sessions: readonly string[]): void {
    this.#put({ type: 'failure', error: this.#problem(error), sessions: this.#foreign([...sessions]) });
  }

  remark(remark: Remark): void {
    this.#put({ ...this.#foreign(remark), type: remark.type } as Line);
  }

  judged(judgements: readonly Judged[]): void {
    for (const each of judgements) this.#put({ type: 'judged', ...this.#foreign({ ...each, runs: [...each.runs] }) });
  }

  /**
   * Marks the journal as complete: without this, it counts as cut.
   * @param pinned all sessions, including those without findings
   */
  end(ended: JournalEnd, pinned: readonly Session[]): void {
    for (const each of pinned) this.#putPin(each);
    this.#put({ type: 'end', ...ended, ...(ended.reason && { reason: this.#foreign(ended.reason) }) });
  }

  #putPin(pinned: Session): void {
    const id = this.#foreign(pinned.id);
    if (this.#pins.has(id)) return;
    this.#pins.add(id);
    this.#put({ type: 'pin', id, session: redactSessionTexts(pinned, this.#options.redact) });
  }

  #put(entry: Line): void {
    this.#options.add(JSON.stringify(entry));
  }

  #foreign<T>(value: T): T {
    return redactTexts(value, this.#options.redact);
  }

  #problem(error: AgentReplayError): ReturnType<typeof toProblem> {
    return this.#foreign(toProblem(error));
  }
}
