import path from 'node:path';
import { AgentReplayError } from '../../errors.ts';
import { readTextFile } from '../../file.ts';
import { parseReport, type Report, type SessionResult } from '../../report/index.ts';
import { checkedPinText, parsePin } from '../../session/index.ts';
import { type AcceptedTurn, accept } from './accept.ts';
import { type RunRecordings, readRunRecordings } from './run-recordings.ts';
import { readBehaviours } from './turn-source.ts';

/** A finished run, read from its output folder. */
export interface FinishedRun {
  readonly report: Report;
  /**
   * The pin of a session with the replayed behaviour as its original. If the session is judged by shift, or on request, the
   * replays become recordings instead. Writes nothing.
   * @param text of the present pin
   * @throws AgentReplayError `RUN_NOT_VERIFIED`, `USAGE`, `PIN_*`, `INPUT_INVALID`: why it stays as it is
   */
  acceptInto(text: string, result: SessionResult): AcceptedPin;
}

export interface AcceptHow {
  /** The replays become recordings beside the original, whichever gate judges the session. */
  readonly asRecordings: boolean;
}

export interface AcceptedPin {
  readonly text: string;
  readonly accepted: readonly AcceptedTurn[];
}

/**
 * Reads what a run left in its output folder, to accept it where nobody can be asked: then a session that was not fully
 * verified never becomes an original.
 * @throws AgentReplayError `INPUT_INVALID`
 */
export async function readFinishedRun(folder: string, { asRecordings }: AcceptHow): Promise<FinishedRun> {
  const file = path.join(folder, 'report.json');
  const report = parseReport(await readTextFile(file), 'report.json');
  const behaviours = await readBehaviours(folder);
  const areWanted = asRecordings || report.results.sessions.some(({ gate }) => gate === 'shift');
  // A merged report has none, because each shard keeps its own replays.
  const recordings = areWanted ? await readRunRecordings(folder).catch(() => undefined) : undefined;
  return {
    report,
    acceptInto: (text, result) => {
      refuseUnverified(result);
      const read = parsePin(text, result.pin);
      if ('problems' in read) throw read.problems[0];
      if (read.session.id !== result.id) throw otherSession(result);
      const { session, accepted, refused } = accept(read.session, result, behaviours, {
        responsesOnly: report.evidence.traceSource === 'none',
        recordings: asRecordings || result.gate === 'shift' ? recordingsIn(recordings, result) : undefined,
      });
      if (refused[0] !== undefined) throw refused[0];
      return { text: checkedPinText(session, result.pin), accepted };
    },
  };
}

/** A single inconclusive run is enough to refuse. */
function refuseUnverified({ pin, verdict, problems, turns }: SessionResult): void {
  const seen = [...problems, ...turns.flatMap((turn) => turn.problems)];
  if (verdict !== 'inconclusive' && seen.length === 0) return;
  throw new AgentReplayError('RUN_NOT_VERIFIED', `${pin} is left as it is: not all of its replays could be compared.`, {
    evidence: [...new Set(seen.map(({ code }) => code))],
    location: { file: pin },
  });
}

function recordingsIn(
  recordings: RunRecordings | undefined,
  { id, pin }: SessionResult,
): ReturnType<RunRecordings['of']> {
  if (recordings !== undefined) return recordings.of(id);
  throw new AgentReplayError(
    'USAGE',
    `${pin} is left as it is: what each of its replays did is missing beside the report.`,
    {
      location: { file: pin },
    },
  );
}

function otherSession({ pin }: SessionResult): AgentReplayError {
  return new AgentReplayError(
    'USAGE',
    `${pin} is left as it is: it now holds another session than the one that was replayed.`,
    {
      location: { file: pin },
    },
  );
}
