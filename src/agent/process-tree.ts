import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { sleep } from '../bounded/index.ts';
import type { Environment } from './agent-environment.ts';
import { signalGroup, signalProcess } from './group.ts';
import { isInOurNamespace, isRunning, processIds, statOf } from './linux.ts';
import { isLeftIn, isMarked, MARK_VARIABLE, newMark, SET_MARK } from './mark.ts';

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface LaunchOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly signal: 'SIGTERM' | 'SIGINT';
  readonly graceMs: number;
}

const POSIX = process.platform !== 'win32';
/** Only Linux can find a daemon that has left the process group, by its mark. */
const LINUX = process.platform === 'linux';
const SHELL = '/bin/sh';

/**
 * Starts the command only once the watchdog runs. If this process dies before that, the gate reads end of file and gives
 * up. The agent itself gets no input.
 */
const GATE = `read -r _ || exit; ${LINUX ? SET_MARK : ':'}; exec ${SHELL} -c "$1" </dev/null`;

/**
 * Ends the tree when this process is gone for whatever reason: only we hold the other end of its standard input. A shell,
 * because a second Node would take 40 MB and 40 ms. It looks twice before it believes that nobody is left, because at the
 * first look a process may end that has just started another. Arguments: process group, signal, grace in tenths of a
 * second, mark.
 */
const WATCHDOG = `
group=$1 signal=$2 tenths=$3 mark=$4
daemons() { grep -lE "^Max file locks +$mark |${MARK_VARIABLE}=$mark" /proc/[0-9]*/limits /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\\n'; }
end() { kill -s "$1" -- "-$group" $(daemons) 2>/dev/null; }
alive() { kill -s 0 -- "-$group" 2>/dev/null || [ -n "$(daemons)" ] || [ -n "$(daemons)" ]; }
read -r _
end "$signal"
while alive && [ "$tenths" -gt 0 ]; do sleep 0.1; tenths=$((tenths - 1)); done
while alive && [ "$tenths" -gt -20 ]; do end KILL; sleep 0.1; tenths=$((tenths - 1)); done
`;

/** How often the tree is checked while it ends; a second call of `end` takes effect at the next check. */
const MIN_POLL_MS = 5;
const MAX_POLL_MS = 50;
/** A process still there this long after SIGKILL cannot be ended by us (another user's, or stuck in the kernel). */
const KILL_WAIT_MS = 2_000;

const living = new Set<ProcessTree>();

/** A shell command and all processes that come from it, in a process group of its own. */
export class ProcessTree {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #watchdog: ChildProcess | undefined;
  readonly #mark: string;
  readonly #signal: NodeJS.Signals;
  readonly #startTicks: number;
  #leaderGone = false;
  #gone = false;
  #ending: Promise<readonly number[]> | undefined;
  #deadline = Number.POSITIVE_INFINITY;

  private constructor(child: ChildProcess, mark: string, options: LaunchOptions) {
    this.pid = child.pid!;
    this.stdout = child.stdout!;
    this.stderr = child.stderr!;
    this.#mark = mark;
    this.#signal = options.signal;
    this.#startTicks = statOf(this.pid)?.startTicks ?? 0;
    this.#watchdog = POSIX ? startWatchdog(this.pid, mark, options) : undefined;
    this.exited = once(child, 'exit').then(([code, signal]) => {
      this.#leaderGone = true;
      // From now on the group's id may be reused, unless somebody is left in it.
      if (!groupExists(this.pid) && this.survivors().length === 0) this.#release();
      return { code, signal };
    });
    if (living.size === 0) process.on('exit', killLiving);
    living.add(this);
  }

  /** @throws what `spawn` throws if the shell cannot be started */
  static async launch(command: string, options: LaunchOptions): Promise<ProcessTree> {
    const mark = newMark(options.cwd);
    const env = { ...options.env, [MARK_VARIABLE]: mark };
    const child = POSIX
      ? spawn(SHELL, ['-c', GATE, SHELL, command, mark], { cwd: options.cwd, env, detached: true, stdio: 'pipe' })
      : spawn(command, { cwd: options.cwd, env, shell: true, stdio: 'pipe' });
    const spawned = once(child, 'spawn');
    if (child.pid === undefined) {
      await spawned;
      throw new Error('spawn gave no process id');
    }
    const tree = new ProcessTree(child, mark, options);
    // The agent may be gone before it passes the gate.
    child.stdin!.on('error', () => {});
    child.stdin!.end('\n');
    await spawned;
    return tree;
  }

  /** Ids of the tree's live processes. Outside Linux only those that stayed in the group are known. */
  survivors(): number[] {
    if (this.#gone) return [];
    if (!LINUX) return groupExists(this.pid) ? [this.pid] : [];
    // A process may start another one and end between the listing and the check. Once a listing names nobody new and nobody
    // was found, nobody was left to start another.
    const seen = new Set<number>();
    for (;;) {
      const unseen = processIds().filter((id) => !seen.has(id));
      const found = unseen.filter((id) => this.#owns(id));
      if (found.length > 0 || unseen.length === 0) return found;
      for (const id of unseen) seen.add(id);
    }
  }

  /** What started before the tree is none of it, and its mark, two files more, need not be read. */
  #owns(id: number): boolean {
    const stat = statOf(id);
    if (stat === undefined || stat.isOver || stat.startTicks < this.#startTicks) return false;
    return stat.group === this.pid || isMarked(id, this.#mark);
  }

  /**
   * Ends every process of the tree: the signal first, SIGKILL after `graceMs`. Another call can only shorten the grace.
   * Resolves to the ids of processes that even SIGKILL did not end: usually none.
   */
  end(graceMs: number): Promise<readonly number[]> {
    this.#deadline = Math.min(this.#deadline, performance.now() + graceMs);
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** The synchronous last resort when this process exits now. The watchdog then ends what left the group. */
  kill(): void {
    if (!this.#gone) signalGroup(this.pid, 'SIGKILL');
  }

  async #end(): Promise<readonly number[]> {
    const asked = new Set<number>();
    let poll = MIN_POLL_MS;
    let left = this.survivors();
    if (left.length > 0 && performance.now() < this.#deadline) signalGroup(this.pid, this.#signal);
    for (; left.length > 0; left = this.#lookAgain()) {
      const overdue = performance.now() - this.#deadline;
      if (overdue > KILL_WAIT_MS) break;
      if (overdue >= 0) {
        signalGroup(this.pid, 'SIGKILL');
        for (const id of left) signalProcess(id, 'SIGKILL');
      } else {
        for (const id of left) {
          if (!asked.has(id) && !inGroup(id, this.pid)) signalProcess(id, this.#signal);
          asked.add(id);
        }
      }
      await sleep(overdue < 0 ? Math.min(poll, -overdue) : poll);
      poll = Math.min(poll * 1.5, MAX_POLL_MS);
    }
    this.#release();
    return left;
  }

  #release(): void {
    this.#gone = true;
    living.delete(this);
    if (living.size === 0) process.off('exit', killLiving);
    this.#watchdog?.kill('SIGKILL');
  }

  /** While the shell itself lives there is no need to read all of /proc. */
  #lookAgain(): number[] {
    return this.#leaderGone || !POSIX ? this.survivors() : [this.pid];
  }
}

function startWatchdog(group: number, mark: string, options: LaunchOptions): ChildProcess {
  const graceTenths = Math.ceil(options.graceMs / 100);
  const args = [`${group}`, options.signal.slice('SIG'.length), `${graceTenths}`, mark];
  // In a session of its own, so that a Ctrl-C or a kill of our whole group does not reach it.
  const watchdog = spawn(SHELL, ['-c', WATCHDOG, 'agent-replay-watchdog', ...args], {
    detached: true,
    cwd: '/',
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without it the agent still ends with us, unless we are killed with SIGKILL.
  watchdog.on('error', () => {});
  watchdog.stdin?.on('error', () => {});
  watchdog.unref();
  return watchdog;
}

function killLiving(): void {
  for (const tree of living) tree.kill();
}

function groupExists(group: number): boolean {
  return isRunning(POSIX ? -group : group);
}

function inGroup(id: number, group: number): boolean {
  return !LINUX || statOf(id)?.group === group;
}

/**
 * Ends what an earlier run left in a folder when it was killed together with its watchdog (Linux).
 * @returns the ids of these processes
 */
export async function endLeftovers(folder: string): Promise<readonly number[]> {
  if (!LINUX) return [];
  const isLeft = (id: number) => statOf(id)?.isOver === false && isLeftIn(id, folder) && isInOurNamespace(id);
  const found = processIds().filter(isLeft);
  const deadline = performance.now() + KILL_WAIT_MS;
  for (let left = found; left.length > 0 && performance.now() < deadline; left = left.filter(isLeft)) {
    for (const id of left) signalProcess(id, 'SIGKILL');
    await sleep(MIN_POLL_MS);
  }
  return found;
}
