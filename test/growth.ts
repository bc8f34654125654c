/** The clock of the processor ticks every 4 ms on some machines: less work than this it cannot tell. */
const LEAST_CPU_MS = 40;
/** Work that is too quick to be measured at this size does not grow. */
const LARGEST = 2 ** 20;
const STEP = 16;
/** What else the machine does only ever adds: one round without it is proof, and no slow one is. */
const ROUNDS = 8;

/** Four times the size may cost this much more CPU where work is linear: 4, and room for caches and collections. */
export const LINEAR = 6;

/**
 * How many times the CPU of this thread `work` takes at four times the size, found over two such steps: about 4 when it
 * is linear, 16 when it is quadratic. Starts at `size` and looks for one that can be measured. A ratio, so that it is
 * the same on a busy or a slow machine.
 * @param prepare makes what is worked on, which is not measured
 */
export function growth<T>(size: number, prepare: (size: number) => T, work: (input: T) => unknown): number {
  const [n, small] = measurable(size, prepare, work);
  if (n > LARGEST) return 0;
  const large = prepare(STEP * n);
  let [leastSmall, leastLarge] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let ratio = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && !(ratio < LINEAR); round++) {
    leastSmall = Math.min(
      leastSmall,
      cpuMs(() => repeated(STEP, () => work(small))),
    );
    leastLarge = Math.min(
      leastLarge,
      cpuMs(() => work(large)),
    );
    ratio = Math.sqrt((STEP * leastLarge) / leastSmall);
  }
  return ratio;
}

/** The first size at which sixteen times the work can be told by the clock. */
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
