/** `1 session`, `2 sessions`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The first ones by name, and the number of the others: `a`, `b`, `3 more`. */
export function firstOf<Each>(
  all: readonly Each[],
  most: number,
  nameOf: (each: Each) => string,
  what = 'more',
): string[] {
  const left = all.length - most;
  return [...all.slice(0, most).map(nameOf), ...(left > 0 ? [`${left} ${what}`] : [])];
}

/** A whole number as every output prints it: `12,345`. `toLocaleString` would load the tables of all languages. */
export function grouped(count: number): string {
  let rest = String(count);
  let groups = '';
  for (; /^-?\d{4}/.test(rest); rest = rest.slice(0, -3)) groups = `,${rest.slice(-3)}${groups}`;
  return rest + groups;
}

/**
 * A share from 0 to 1 as every output prints it: `60 %`, or `–` if there is none. Rounded to whole percents, but 100 %
 * means all, and 0 % means none.
 */
export function percent(share: number | null): string {
  if (share === null) return '–';
  if (share <= 0) return '0 %';
  if (share >= 1) return '100 %';
  return `${Math.min(99, Math.max(1, Math.round(share * 100)))} %`;
}

/** A size as people say it: `10 bytes`, `900 KiB`, `1.5 MiB`. */
export function inBytes(bytes: number): string {
  if (bytes < 2 ** 10) return counted(bytes, 'byte');
  const [size, unit] = bytes < 2 ** 20 ? [bytes / 2 ** 10, 'KiB'] : [bytes / 2 ** 20, 'MiB'];
  return `${Number(size.toFixed(1))} ${unit}`;
}

/** `840 ms`, `12.3 s`, `12 s`, `2 min 5 s`, `1 h 2 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.floor(ms)} ms`;
  if (ms < 60_000) return `${Math.floor(ms / 100) / 10} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `$0.0310`, `$12.40`. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}
