/** By path. */
export type OptionValues = ReadonlyMap<string, unknown>;
