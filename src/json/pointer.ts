import { isJsonObject, type Json } from './json.ts';

/** The value at a JSON pointer (RFC 6901); undefined where there is none. */
export function atPointer(value: Json, pointer: string): Json | undefined {
  if (pointer === '') return value;
  let current: Json | undefined = value;
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(current)) current = /^(0|[1-9]\d*)$/.test(key) ? current[Number(key)] : undefined;
    else if (isJsonObject(current)) current = Object.hasOwn(current, key) ? current[key] : undefined;
    else return undefined;
  }
  return current;
}

/** One step of a JSON pointer, escaped. */
export function pointerPart(key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
