import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Arrival } from '../mapping/record.ts';

/** One export as it came, packed: a trace can be put together anew when more of it comes late. */
export interface Delivery {
  /** Of the export, decoded. */
  readonly bytes: number;
  /** Of what is kept of it; 0 once it was let go. */
  readonly keptBytes: number;
  /** What it brought; undefined once it was let go. */
  arrivals(): Arrival[] | undefined;
  letGo(): void;
}

/** Traces repeat themselves, so that the fastest level leaves about a fifth: some hundred bytes an observation. */
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** @param read what was made of it the first time */
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
