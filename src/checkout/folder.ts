import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { appendFile, lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { endLeftovers, isRunning, startOfProcess } from '../agent/index.ts';

/** `agent-replay-base-HOST-PROCESS-START-XXXXXX`: the name contains the owner, so that no folder is without one. */
const NAME = /^agent-replay-base-([0-9a-f]{8})-(\d+)-(\d+)-\w{6}$/;
/** Folders in which processes were started. */
const STARTED_IN = 'started-in';

/** A temporary folder for one checkout. Disposing of it removes it; for a killed process, the next one does. */
interface CheckoutFolder extends AsyncDisposable {
  readonly path: string;
  /** Announces that processes will be started there. */
  startsIn(folder: string): Promise<void>;
}

/** Makes a folder, and removes those of killed processes, with everything still running in them. */
export async function checkoutFolder(): Promise<CheckoutFolder> {
  await sweep();
  const folder = await mkdtemp(path.join(tmpdir(), `agent-replay-base-${ownerPart()}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    path: folder,
    startsIn: (started) => appendFile(path.join(folder, STARTED_IN), `${JSON.stringify(started)}\n`),
    [Symbol.asyncDispose]: async () => {
      process.off('exit', remove);
      await removed(folder);
    },
  };
}

function ownerPart(): string {
  return `${hostDigest()}-${process.pid}-${startOfProcess(process.pid) ?? 0}`;
}

/** Containers may share a folder, but not process ids. */
function hostDigest(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

async function sweep(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const folder of names.filter(isLeft).map((name) => path.join(tmpdir(), name))) {
    if (!(await isOurs(folder))) continue;
    for (const started of await startedIn(folder)) await endLeftovers(started).catch(() => []);
    await removed(folder);
  }
}

function isLeft(name: string): boolean {
  const [, host, id, start] = NAME.exec(name) ?? [];
  if (host !== hostDigest()) return false;
  return !(isRunning(Number(id)) && Number(start) === (startOfProcess(Number(id)) ?? 0));
}

/** A link, or a file of another user, is left alone. */
async function isOurs(folder: string): Promise<boolean> {
  const stats = await lstat(folder).catch(() => undefined);
  return stats?.isDirectory() === true && stats.uid === (process.getuid?.() ?? stats.uid);
}

async function startedIn(folder: string): Promise<string[]> {
  const text = await readFile(path.join(folder, STARTED_IN), 'utf8').catch(() => '');
  return text.split('\n').flatMap((line): string[] => {
    try {
      return [String(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

async function removed(folder: string): Promise<void> {
  // A process that is just ending may still write.
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
