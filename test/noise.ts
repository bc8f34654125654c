import { createHash } from 'node:crypto';

/** Bytes that no packing makes fewer, the same each time. */
export function noise(length: number): Buffer {
  return createHash('shake256', { outputLength: length }).update('noise').digest();
}
