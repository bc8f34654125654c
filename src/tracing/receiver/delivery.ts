import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Arrival } from '../mapping/trace-record.ts';

/** One export as received, compressed, so that a trace can be reassembled if more of it comes late. */
export interface Delivery {
  /** Of the export, decoded. */
  readonly bytes: number;
  /** Size of the compressed data; 0 once released. */
  readonly keptBytes: number;
  /** Its records; undefined once released. */
  arrivals(): Arrival[] | undefined;
  letGo(): void;
}

/** Traces are repetitive, so the fastest level leaves about a fifth: some hundred bytes per observation. */
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export function delivery(body: Buffer, read: (body: Buffer) => Arrival[]): Delivery {
  let packed: Buffer | undefined = zstdCompressSync(body, FASTEST);
  return {
    bytes: body.length,
    get keptBytes() {
      return packed?.length ?? 0;
    },
    arrivals: () => packed && read(zstdDecompressSync(packed)),
    letGo: () => {
      packed = undefined;
    },
  };
}
