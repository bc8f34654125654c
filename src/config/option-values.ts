/** Settings by their path. */
export type OptionValues = ReadonlyMap<string, unknown>;
