/** Enough work to be measured: below this the clock of the processor says little. */
const LEAST_CPU_MS = 8;
const ROUNDS = 5;
/** A neighbour on the same core spoils a measurement, never three in a row; what is quadratic stays so each time. */
const TRIES = 3;
/** A size at which even work that is far too quick to measure is given up on. */
const LARGEST = 2 ** 24;

/** Four times the size may cost this much more CPU where work is linear: 4, and room for caches and collections. */
export const LINEAR = 6;

/**
 * How many times the CPU of this thread `work` takes at four times the size: about 4 when it is linear, 16 when it is
 * quadratic. Starts at `size` and looks for one that can be measured. A ratio, so that it is the same on a busy or a
 * slow machine.
 * @param prepare makes what is worked on, which is not measured
 */
export function growth<T>(size: number, prepare: (size: number) => T, work: (input: T) => unknown): number {
  work(prepare(size));
  for (let n = size; ; n *= 2) {
    const small = prepare(n);
    if (cpuMs(() => work(small)) < LEAST_CPU_MS && n < LARGEST) continue;
    const large = prepare(4 * n);
    let ratio = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES && ratio >= LINEAR; tries++) {
      ratio = Math.min(ratio, least(() => work(large)) / least(() => work(small)));
    }
    return ratio;
  }
}

/** Of several rounds the quickest: what else the process does only ever adds. */
function least(work: () => unknown): number {
  return Math.min(...Array.from({ length: ROUNDS }, () => cpuMs(work)));
}

function cpuMs(work: () => unknown): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}
