/** On some machines the CPU clock ticks every 4 ms, so it cannot measure less work than this: the limit has room for a tick. */
const LEAST_CPU_MS = 20;
/** Work that is too fast to measure at this size counts as not growing. */
const LARGEST = 2 ** 20;
const STEP = 16;
/** Other work of the machine only adds time. So one round within the limit is proof, and a slow one is none. */
const ROUNDS = 8;

/**
 * Linear work may cost this many times the CPU at four times the size: 4, with room for caches and garbage collection.
 */
export const LINEAR = 6;

/**
 * Measures how the CPU time of `work` grows when the size is four times as large, over two such steps: about 4 if it is
 * linear, 16 if it is quadratic. Starts at `size`, and looks for a size that can be measured. A ratio is the same on a
 * busy or slow machine.
 * @param prepare makes the input, which is not measured
 */
export function growth<T>(size: number, prepare: (size: number) => T, work: (input: T) => unknown): number {
  const [n, small] = measurable(size, prepare, work);
  if (n > LARGEST) return 0;
  const large = prepare(STEP * n);
  let ratio = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && !(ratio < LINEAR); round++) {
    // Of one round, because the least of all small ones is a lucky tick of the clock, and makes linear work look worse
    // with every round.
    const smallMs = cpuMs(() => repeated(STEP, () => work(small)));
    ratio = Math.min(ratio, Math.sqrt((STEP * cpuMs(() => work(large))) / smallMs));
  }
  return ratio;
}

/** The first size at which the clock can measure sixteen times the work. */
function measurable<T>(size: number, prepare: (size: number) => T, work: (input: T) => unknown): [number, T] {
  for (let n = size; ; n *= 2) {
    const input = prepare(n);
    if (cpuMs(() => repeated(STEP, () => work(input))) >= LEAST_CPU_MS || n > LARGEST) return [n, input];
  }
}

function repeated(times: number, work: () => unknown): void {
  for (let count = 0; count < times; count++) work();
}

function cpuMs(work: () => unknown): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}
