/** The first of each, in order. @param keyOf what equal ones have in common */
export function distinct<T>(values: readonly T[], keyOf: (value: T) => string = (value) => JSON.stringify(value)): T[] {
  return [...Map.groupBy(values, keyOf).values()].flatMap(([first]) => first ?? []);
}
