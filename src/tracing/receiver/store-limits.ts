/** Limits of what the receiver holds, in bytes. */
export interface StoreLimits {
  /** For one trace. An agent's turn has tens of spans; more than this is a runaway loop. */
  readonly spansPerTrace: number;
  /**
   * For all traces that are incomplete or not yet asked for, as decoded exports. The oldest one that no replay waits for is
   * dropped first.
   */
  readonly bytes: number;
  /** For taken traces, compressed, kept in case more of them comes. The oldest is dropped first. */
  readonly keptBytes: number;
}
