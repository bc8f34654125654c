import type { Json } from '../../json/index.ts';

/** Attributes by key. A map, so that no key from outside can reach a prototype. */
export type Attributes = Map<string, Json>;

/** The first of some attributes that is set to something. */
export function firstText(attributes: Attributes, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = attributes.get(key);
    if (value === undefined || value === null || value === '' || value === false) continue;
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
  return undefined;
}
