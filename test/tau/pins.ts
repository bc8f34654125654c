import { savePin, sessionsFromTraces } from '../../src/session/index.ts';
import { traceOf } from './conversation.ts';
import type { Trial } from './trials.ts';

/** Pins trial 0 of each task, one turn each. @returns the files, relative to the root */
export async function pinTrials(trials: readonly Trial[], options: { root: string; dir: string }): Promise<string[]> {
  const { sessions } = sessionsFromTraces(trials.filter(({ trial }) => trial === 0).map(traceOf));
  return Promise.all(sessions.map((session) => savePin(session, { ...options, overwrite: false })));
}
