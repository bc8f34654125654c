import { isJsonObject, type Json } from './json.ts';

/** The same value with each text in it changed, keys included; the value itself if none changes. */
export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => mapTexts(item, change));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const before = Object.entries(value);
  const after = before.map(([name, item]): [string, Json] => [change(name), mapTexts(item, change)]);
  // `fromEntries` makes own keys of all names, `__proto__` included.
  return after.flat().every((part, index) => part === before[index >> 1]?.[index & 1])
    ? value
    : Object.fromEntries(after);
}
