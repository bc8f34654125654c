/** Bounds of what the receiver holds, in bytes. */
export interface StoreLimits {
  /** Of one trace. An agent's turn has tens of spans; beyond this it is a runaway loop. */
  readonly spansPerTrace: number;
  /** Of all traces that wait to be whole or to be asked for, as decoded exports. The oldest one that no replay waits for is dropped first. */
  readonly bytes: number;
  /** Of the traces that were taken and are kept in case more of them comes, packed. The oldest goes first. */
  readonly keptBytes: number;
}
