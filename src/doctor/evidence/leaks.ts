import { isJsonObject, type Json } from '../../json/index.ts';
import { Redaction, redactor } from '../../redaction/index.ts';
import type { Call } from './evidence.ts';

/** Shorter values are words that any text may contain. */
const MIN_LEAKED_CHARS = 8;
/** Places that are reported; the first ones show the origin. */
const MAX_PLACES = 10;

/** Where the traces of some calls contain a known secret, or something like a key. Places, never values. */
export function leaksIn(calls: readonly Call[], secrets: readonly string[]): string[] {
  const { text: withoutSecrets } = new Redaction(secrets.filter(({ length }) => length >= MIN_LEAKED_CHARS));
  const withoutKeys = redactor({ personal: false });
  const places = new Set<string>();
  const look = (name: string, value: Json, place: string): void => {
    if (Array.isArray(value)) {
      for (const item of value) look(name, item, place);
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) look(key, member, `${place} ${key}`);
    } else if (typeof value === 'string') {
      // A value under `apiKey` is a key. Attribute names are dotted paths.
      const named = { [name.slice(name.lastIndexOf('.') + 1)]: value };
      if (withoutSecrets(value) !== value) places.add(`${place}: a secret of this environment`);
      else if (withoutKeys(named) !== named) places.add(`${place}: what looks like a key`);
    }
  };
  for (const { spans, trace } of calls) {
    for (const { name, attributes } of spans) look('', attributes, `span "${name}"`);
    // A platform has no spans, only what it made of them.
    if (spans.length > 0) continue;
    for (const { name, type, input, output, metadata } of trace?.observations ?? []) {
      look('', { input: input ?? null, output: output ?? null, metadata: metadata ?? null }, `${type} "${name}"`);
    }
  }
  return [...places].slice(0, MAX_PLACES);
}
