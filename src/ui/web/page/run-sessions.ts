import type { ProblemView } from '../../../report/index.ts';
import type { SessionHead } from '../../index.ts';
import { ask, problemOf } from './server.ts';

/**
 * Runs sessions, one after another if they have the same agent.
 * @param onStarted called for each started one
 * @returns why others were not started, each with its session's id
 */
export async function runSessions(
  sessions: readonly Pick<SessionHead, 'id' | 'agentId'>[],
  onStarted: () => void,
): Promise<ProblemView[]> {
  const refused: ProblemView[] = [];
  for (const { id, agentId } of sessions) {
    try {
      await ask('/api/runs', { method: 'POST', body: { session: id, agentId } });
      onStarted();
    } catch (error) {
      refused.push({ ...problemOf(error), where: id });
    }
  }
  return refused;
}
