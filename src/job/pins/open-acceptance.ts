import { isDoubt, isInOtherWords } from '../../compare/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { isTestedBy, type Report, type SessionResult } from '../../report/index.ts';
import { checkedPinText, parsePin, type Session } from '../../session/index.ts';
import { type Acceptance, type AcceptOptions, accept, refusedInCi } from '../accepting/accept.ts';
import { readBehaviours } from './kept-behaviours.ts';
import { readRunRecordings } from './run-recordings.ts';

/** What a run left in its output folder, to be accepted session by session. Writes nothing. */
interface OpenAcceptance {
  /** For somebody who chooses what to accept. @throws AgentReplayError `INPUT_INVALID` */
  accept(session: Session, result: SessionResult, choice?: AcceptOptions): Acceptance;
  /**
   * The pin of a session with the replayed behaviour as its original, where nobody can be asked: then a session that was
   * not fully verified never becomes an original. If the session is judged by shift, its replays become recordings.
   * @param text of the present pin
   * @throws AgentReplayError `RUN_NOT_VERIFIED`, `USAGE`, `PIN_*`: why it stays as it is
   */
  acceptInto(text: string, result: SessionResult): Pick<Acceptance, 'accepted'> & { readonly text: string };
}

interface AcceptanceOptions {
  /** The replays become recordings beside the original, whichever gate judges the session. */
  readonly asRecordings: boolean;
  /** Refuses if it says that this is CI, where nobody reviews what is accepted. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** @throws AgentReplayError `INPUT_INVALID`; `USAGE` in CI */
export async function openAcceptance(
  outputDir: string,
  { evidence, results }: Report,
  { asRecordings, environment = {} }: AcceptanceOptions,
): Promise<OpenAcceptance> {
  const refusal = refusedInCi(environment);
  if (refusal !== undefined) throw refusal;
  if (evidence.offline) {
    throw new AgentReplayError('USAGE', 'What a model did not say is no recording: it answered as recorded.', {
      hint: 'Run again without --offline, then accept.',
    });
  }
  const behaviours = await readBehaviours(outputDir);
  const areWanted = asRecordings || results.sessions.some(({ gate }) => isTestedBy(gate));
  // A merged report has none, because each shard keeps its own replays.
  const recordings = areWanted ? await readRunRecordings(outputDir).catch((error: Error) => error) : undefined;
  const responsesOnly = evidence.traceSource === 'none';
  const madeIn = ({ id }: SessionResult) => {
    if (recordings instanceof Error) throw recordings;
    return recordings?.(id);
  };
  return {
    accept: (session, result, choice) => {
      const made = asRecordings ? madeIn(result) : undefined;
      return accept(session, result, behaviours, { ...choice, responsesOnly, recordings: made });
    },
    acceptInto: (text, result) => {
      refuseUnverified(result);
      const read = parsePin(text, result.pin);
      if ('problems' in read) throw read.problems[0];
      if (read.session.id !== result.id) {
        throw leftAsItIs(result, 'it now holds another session than the one that was replayed');
      }
      const areMeant = asRecordings || isTestedBy(result.gate);
      if (areMeant && recordings instanceof Error) {
        throw leftAsItIs(result, 'what each of its replays did is missing beside the report');
      }
      const made = areMeant ? madeIn(result) : undefined;
      const { session, accepted, refused } = accept(read.session, result, behaviours, {
        responsesOnly,
        recordings: made,
      });
      if (refused[0] !== undefined) throw refused[0];
      return { text: checkedPinText(session, result.pin), accepted };
    },
  };
}

/** A single run that could not be compared is enough to refuse. */
function refuseUnverified({ pin, verdict, problems, turns }: SessionResult): void {
  const seen = [...problems, ...turns.flatMap((turn) => turn.problems)];
  const isRead =
    !isDoubt(verdict) || turns.every(({ comparison }) => !isDoubt(comparison.verdict) || isInOtherWords(comparison));
  if (isRead && turns.length > 0 && seen.length === 0) return;
  throw new AgentReplayError('RUN_NOT_VERIFIED', `${pin} is left as it is: not all of its replays could be compared.`, {
    evidence: [...new Set(seen.map(({ code }) => code))],
    location: { file: pin },
  });
}

function leftAsItIs({ pin }: SessionResult, why: string): AgentReplayError {
  return new AgentReplayError('USAGE', `${pin} is left as it is: ${why}.`, { location: { file: pin } });
}
