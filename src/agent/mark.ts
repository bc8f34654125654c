import { createHash, randomInt } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { environOf, lockLimitOf, statOf } from './linux.ts';

/** Every process of an agent has this variable, unless it clears its environment. */
export const MARK_VARIABLE = 'AGENT_REPLAY_TRACKING_ID';

// As a soft limit on file locks it stays whatever a process does to its environment, its session or its parents: Linux
// hands limits down to every child, has made no use of this one since 2.4, and shows it to everybody. It has 62 bits:
//   12 bits that say it is ours | 16 of the folder | 22 of the process that started the agent | 12 of this agent
const OURS = 0xa9en;
const BITS = { folder: 16n, owner: 22n, agent: 12n } as const;

/** A number, in decimal digits, shared by all processes of one agent. It encodes the folder and the process that started it. */
export function newMark(folder: string, owner = process.pid): string {
  const agent = BigInt(randomInt(2 ** Number(BITS.agent)));
  const start = (OURS << BITS.folder) | digestOf(folder);
  return ((((start << BITS.owner) | BigInt(owner)) << BITS.agent) | agent).toString();
}

/** Sets the mark given as its second argument in a POSIX shell: `-w` in dash and busybox, `-x` in bash. */
export const SET_MARK = '{ ulimit -S -w "$2" || ulimit -S -x "$2" || :; } 2>/dev/null';

/** Whether a process has a mark, as a limit or in its environment. */
export function isMarked(id: number, mark: string): boolean {
  return lockLimitOf(id) === mark || environOf(id).includes(`${MARK_VARIABLE}=${mark}\0`);
}

/** Whether a finished run left a process in a folder. */
export function isLeftIn(id: number, folder: string): boolean {
  const owner = ownerOf(markOf(id), folder);
  if (owner === undefined) return false;
  const [started, its] = [statOf(owner)?.startTicks, statOf(id)?.startTicks];
  // A process that has that id now but started after the leftover is another one.
  return its !== undefined && (started === undefined || started > its);
}

function markOf(id: number): string | undefined {
  const limit = lockLimitOf(id);
  if (limit !== undefined) return limit;
  return new RegExp(`(?:^|\0)${MARK_VARIABLE}=(\\d+)\0`).exec(environOf(id))?.[1];
}

function ownerOf(mark: string | undefined, folder: string): number | undefined {
  if (mark === undefined) return undefined;
  const number = BigInt(mark) >> BITS.agent;
  const start = number >> BITS.owner;
  return start === ((OURS << BITS.folder) | digestOf(folder))
    ? Number(BigInt.asUintN(Number(BITS.owner), number))
    : undefined;
}

function digestOf(folder: string): bigint {
  return BigInt(createHash('sha256').update(realpathSync(folder)).digest().readUInt16BE());
}
