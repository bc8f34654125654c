import type { AgentReplayError } from '../../errors.ts';
import { redactRecordingTexts, redactTexts } from '../../redaction/index.ts';
import { toProblem } from '../../report/index.ts';
import type { Session } from '../../session/index.ts';
import { redactSessionTexts } from '../../session/index.ts';
import type { Finding } from '../judging/finding.ts';
import type { Judged } from '../judging/judge.ts';
import { behaviourDigest, startOf } from '../pins/recording-digest.ts';
import { notWritable } from '../running/files.ts';
import { JOURNAL_VERSION, type JournalEnd, type JournalHeader, type Line, type Remark } from './journal-format.ts';
import { LineFile } from './line-file.ts';
import { findingsIn } from './read-journal.ts';

export interface JournalOptions {
  /**
   * Called once if the file cannot be written (`OUTPUT_NOT_WRITABLE`). Then nothing more is written, and nothing else
   * fails.
   */
  readonly onError: (error: AgentReplayError) => void;
  /** Replaces secrets in everything that comes from outside. */
  readonly redact: (text: string) => string;
}

/**
 * Keeps what a run finds out on disk: a crash loses none of it, shards can be merged, and a session can be compared again
 * when a trace of it has changed. It grows with the distinct behaviours, and by one short line per replay. Closed with
 * `await using`.
 */
export interface Journal extends AsyncDisposable {
  /** Writes one finding about a pinned session. Resolves once the disk has it; never rejects. */
  write(finding: Finding, pinned: Session): Promise<void>;
  /** Everything written about one session, the last finding of each replay. @throws if the journal could not be written */
  findings(session: string): Promise<Finding[]>;
  /** Notes a failure that keeps sessions, by id, from being replayed. */
  fail(error: AgentReplayError, sessions: readonly string[]): void;
  remark(remark: Remark): void;
  judged(judgements: readonly Judged[]): void;
  /**
   * Marks the journal as complete. If disposed of without this, the journal counts as cut.
   * @param pinned all sessions, including those without findings
   */
  end(about: JournalEnd, pinned: readonly Session[]): void;
}

/**
 * Starts a journal, replacing an existing one. Never rejects: see {@link JournalOptions.onError}.
 * @param file undefined: the journal exists only during this run
 */
export async function openJournal(
  file: string | undefined,
  about: JournalHeader,
  { onError, redact }: JournalOptions,
): Promise<Journal> {
  const lines =
    file === undefined
      ? await LineFile.temporary()
      : await LineFile.open(file, (error) => onError(notWritable(file, error)));
  const startedMs = performance.now();
  const pins = new Set<string>();
  const digests = new Set<string>();
  const put = (entry: Line): void => lines.add(JSON.stringify(entry));
  const foreign = <T>(value: T): T => redactTexts(value, redact);
  const { settings, startedAt: _, ...told } = about;
  put({ type: 'journal', version: JOURNAL_VERSION, ...about, ...foreign(told), settings });
  const putPin = (pinned: Session): void => {
    if (pins.has(pinned.id)) return;
    pins.add(pinned.id);
    const kept = redactSessionTexts(pinned, redact);
    put({ type: 'pin', id: kept.id, session: kept });
  };
  return {
    write: async ({ outcome, replayRunId, callError, warnings, replaced, ...finding }, pinned) => {
      putPin(pinned);
      const told = {
        ...finding,
        session: foreign(finding.session),
        replayRunId,
        ...(callError && { callError: foreign(toProblem(callError)) }),
        ...(warnings && { warnings: warnings.map(toProblem).map(foreign) }),
        ...(replaced && { replaced: replaced.map((each) => ({ ...each, message: foreign(each.message) })) }),
        atMs: Math.round(performance.now() - startedMs),
      };
      if (outcome.kind === 'inconclusive') {
        put({ type: 'result', ...told, error: foreign(toProblem(outcome.error)) });
      } else {
        const digest = behaviourDigest(outcome.recording);
        if (!digests.has(digest)) {
          digests.add(digest);
          put({ type: 'behaviour', digest, recording: redactRecordingTexts(outcome.recording, redact) });
        }
        put({ type: 'result', ...told, behaviour: digest, clock: startOf(outcome.recording) });
      }
      await lines.written();
    },
    findings: async (session) => {
      const found = await findingsIn(() => lines.lines(), foreign(session));
      return found.map((finding) => ({ ...finding, session }));
    },
    fail: (error, sessions) =>
      put({ type: 'failure', error: foreign(toProblem(error)), sessions: foreign([...sessions]) }),
    remark: (remark) => put({ ...foreign(remark), type: remark.type } as Line),
    judged: (judgements) => {
      for (const each of judgements) put({ type: 'judged', ...foreign({ ...each, runs: [...each.runs] }) });
    },
    end: (ended, pinned) => {
      for (const each of pinned) putPin(each);
      put({ type: 'end', ...ended, ...(ended.reason && { reason: foreign(ended.reason) }) });
    },
    [Symbol.asyncDispose]: () => lines[Symbol.asyncDispose](),
  };
}
