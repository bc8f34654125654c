import { hash } from 'node:crypto';

/** Whole numbers from 0 to below a bound (at most 2^32), evenly distributed to within 2^-32 of the bound. */
export type Random = (below: number) => number;

/**
 * The same numbers for the same seed on every machine: xoshiro128** (Blackman and Vigna 2018) in 32-bit integer
 * arithmetic, started from the SHA-256 digest of the seed.
 */
export function randomFrom(seed: string): Random {
  const digest = Buffer.from(hash('sha256', seed, 'hex'), 'hex');
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at)) as [number, number, number, number];
  if ((a | b | c | d) === 0) a = 1;
  return (below) => {
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return Math.floor((result * below) / 2 ** 32);
  };
}
