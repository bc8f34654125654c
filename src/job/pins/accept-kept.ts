import type { Report, SessionResult } from '../../report/index.ts';
import type { Session } from '../../session/index.ts';
import { type Acceptance, type AcceptOptions, accept } from './accept.ts';
import { readRunRecordings } from './run-recordings.ts';
import { readBehaviours } from './turn-source.ts';

type Choice = Pick<AcceptOptions, 'run' | 'force'>;

/** Puts the behaviour of a run into the pin of one of its sessions. Writes nothing. */
export type Accept = (session: Session, result: SessionResult, choice?: Choice) => Acceptance;

/**
 * Opens what a run left in its output folder, to accept it session by session.
 * @param options.asRecordings its replays become recordings beside the original, which stays
 * @throws AgentReplayError `INPUT_INVALID`
 */
export async function openAcceptance(
  outputDir: string,
  { evidence }: Report,
  { asRecordings }: { readonly asRecordings: boolean },
): Promise<Accept> {
  const behaviours = await readBehaviours(outputDir);
  const recordings = asRecordings ? await readRunRecordings(outputDir) : undefined;
  const responsesOnly = evidence.traceSource === 'none';
  return (session, result, choice) =>
    accept(session, result, behaviours, { ...choice, responsesOnly, recordings: recordings?.of(result.id) });
}
