/** What belongs to a key, made the first time that it is asked for. */
export function remembered<Key, Value>(
  known: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
