import { lstat, stat } from 'node:fs/promises';
import path from 'node:path';
import { AgentReplayError } from '../errors.ts';

/** Folders whose files are obeyed, whoever owns them: what `safe.directory` is to git. */
const SAFE = 'AGENT_REPLAY_SAFE_FOLDERS';

/**
 * Refuses a file that would act with the rights of this user but belongs to another one, unless that is root. A link belongs to
 * whoever made it, too. Windows tells Node.js no owners.
 * @throws AgentReplayError `CONFIG_NOT_TRUSTED`
 */
export async function expectOwn(file: string): Promise<void> {
  const user = process.geteuid?.();
  const safe = (process.env[SAFE] ?? '').split(path.delimiter).filter(Boolean);
  if (user === undefined || safe.some((folder) => !path.relative(folder, file).startsWith('..'))) return;
  for (const look of [lstat, stat]) {
    // Whoever reads the file says why that is impossible.
    const uid: number = (await look(file).catch(() => undefined))?.uid ?? user;
    if (uid === user || uid === 0) continue;
    throw new AgentReplayError('CONFIG_NOT_TRUSTED', `${path.basename(file)} belongs to another user.`, {
      evidence: [`${file} belongs to user ${uid}, and this is user ${user}`],
      hint: `Delete it, or make it yours with chown. If you trust all that is in that folder, set ${SAFE}=${path.dirname(file)}.`,
      location: { file },
    });
  }
}
