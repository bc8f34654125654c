import { existsSync } from 'node:fs';
import { link, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { isRunning, startOfProcess } from '../../agent/index.ts';
import { sleep } from '../../bounded/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { isTemporaryName, OUR_FOLDER, temporaryName } from '../../files/index.ts';
import { jsonIn } from '../../json/index.ts';
import { Interruption, interruptionOf } from './interruption.ts';
import { JOURNAL_FILE } from './journal-file.ts';

/** Outputs can contain everything that traces contain, so only the user who ran it may read them. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

const LOCK = '.run.lock';
const POLL_MS = 100;

/**
 * An existing folder is used as it is, unless it is a link or lies in one that a commit may have brought: that could make
 * us write and delete anywhere.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE` for a link; otherwise the system's error
 */
export async function makeOutputFolder(dir: string): Promise<void> {
  await refuseLinks(dir);
  await mkdir(dir, { recursive: true, mode: PRIVATE_FOLDER });
}

/** @throws AgentReplayError `OUTPUT_NOT_WRITABLE` if it, or a folder above it inside the current folder or ours, is a link */
export async function refuseLinks(dir: string): Promise<void> {
  for (const folder of [dir, ...foldersAbove(dir)]) {
    const stats = await lstat(folder).catch(() => undefined);
    if (!stats?.isSymbolicLink()) continue;
    throw new AgentReplayError('OUTPUT_NOT_WRITABLE', `${folder} is a link: nothing is written or deleted behind it.`, {
      location: { file: folder },
      hint: 'Remove the link, or name the folder itself with --output-dir.',
    });
  }
}

function foldersAbove(dir: string): string[] {
  const names = dir.split(path.sep);
  const [first = '..', ...more] = path.relative('', dir).split(path.sep);
  const outside =
    first === '..' || path.isAbsolute(first)
      ? names.lastIndexOf(OUR_FOLDER) + 1 || names.length
      : names.length - more.length - 1;
  return names.slice(outside).map((_, depth) => names.slice(0, outside + depth + 1).join(path.sep));
}

const holder = z.object({ host: z.string(), process: z.int().positive(), startTicks: z.int().optional() });
type Holder = z.infer<typeof holder>;

interface ClaimOptions {
  readonly signal?: AbortSignal;
  /** Called once with the process id if another run holds the folder. */
  readonly onWaiting?: (process: number) => void;
}

interface ClaimedFolder extends AsyncDisposable {
  /** It contains no journal of an earlier run. */
  readonly isNew: boolean;
}

/**
 * Reserves an output folder for one run until disposed of. Waits while another run on this machine holds it, and takes it
 * over from a run that was killed. Without a place for a lock, as in a read-only folder, there is no lock.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE` if it is a link
 */
export async function claimOutputFolder(dir: string, { signal, onWaiting }: ClaimOptions = {}): Promise<ClaimedFolder> {
  const lock = path.join(dir, LOCK);
  let isTold = false;
  await refuseLinks(dir);
  for (;;) {
    if (signal?.aborted) throw beforeTheRun(signal, isTold ? ': another run still used the output folder' : '');
    const taken = await takeLock(lock);
    if (taken !== 'held') {
      if (taken === 'taken') await sweep(dir);
      return {
        isNew: !existsSync(path.join(dir, JOURNAL_FILE)),
        [Symbol.asyncDispose]: async () => void (taken === 'taken' && (await rm(lock, { force: true }))),
      };
    }
    const other = await holderOf(lock);
    if (other === undefined || !isAlive(other)) {
      await discard(lock);
      continue;
    }
    if (!isTold) onWaiting?.(other.process);
    isTold = true;
    await sleep(POLL_MS, signal).catch(() => {});
  }
}

function beforeTheRun(signal: AbortSignal, why: string): unknown {
  const interruption = interruptionOf(signal);
  if (interruption === undefined) return signal.reason;
  return new Interruption(interruption.by, `Nothing was replayed${why}.`);
}

/** The lock is there whole or not at all. */
async function takeLock(lock: string): Promise<'taken' | 'held' | 'none'> {
  const own: Holder = { host: hostname(), process: process.pid, startTicks: startOfProcess(process.pid) };
  const temporary = path.join(path.dirname(lock), temporaryName());
  try {
    await makeOutputFolder(path.dirname(lock));
    await writeFile(temporary, JSON.stringify(own), { flag: 'wx', mode: PRIVATE_FILE });
  } catch {
    return 'none';
  }
  try {
    await link(temporary, lock);
    return 'taken';
  } catch (error) {
    // Some file systems have no hard links.
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'held' : 'none';
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

async function holderOf(lock: string): Promise<Holder | undefined> {
  return holder.safeParse(jsonIn(await readFile(lock, 'utf8').catch(() => ''))).data;
}

/** Nothing is known about processes of another machine; it may share the disk, but hardly ever a checkout. */
function isAlive({ host, process: id, startTicks }: Holder): boolean {
  return host === hostname() && isRunning(id) && startTicks === startOfProcess(id);
}

/** Another run may have taken the lock since we looked: then it is given back. */
async function discard(lock: string): Promise<void> {
  const aside = path.join(path.dirname(lock), temporaryName());
  try {
    await rename(lock, aside);
    const now = await holderOf(aside);
    if (now !== undefined && isAlive(now)) await link(aside, lock);
  } catch {
    // It is gone already.
  } finally {
    await rm(aside, { force: true }).catch(() => {});
  }
}

/** Removes files that a killed run had begun to write. */
async function sweep(dir: string): Promise<void> {
  for (const folder of [dir, path.join(dir, 'traces')]) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter(isTemporaryName))
      await rm(path.join(folder, name), { force: true }).catch(() => {});
  }
}
