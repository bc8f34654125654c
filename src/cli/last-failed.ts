import path from 'node:path';
import { AgentReplayError } from '../errors.ts';
import { readReport } from './read-report.ts';

/**
 * @param named files on the command line
 * @throws AgentReplayError `USAGE` if files are named too, `INPUT_INVALID` if there is no readable report, `NO_SESSIONS` if
 * all of them passed
 */
export async function lastFailed(outputDir: string, named: readonly string[]): Promise<string[]> {
  if (named.length > 0) {
    throw new AgentReplayError('USAGE', '--last-failed chooses the sessions, so no files can be named.', {
      hint: 'Leave one of the two out; --grep chooses among those that failed.',
    });
  }
  const file = path.join(outputDir, 'report.json');
  const { results } = await readReport(
    file,
    'Run without --last-failed first, or name the folder of that run with --output-dir. If that run was killed, `agent-replay merge FOLDER` makes its report.',
  );
  const failed = results.sessions.filter(({ level }) => level === 'error').map(({ pin }) => pin);
  if (failed.length > 0) return failed;
  throw new AgentReplayError('NO_SESSIONS', 'No session failed in the last run: nothing is replayed.', {
    evidence: [`report: ${file}`],
    hint: 'Run without --last-failed to replay all of them.',
  });
}
