import { isJsonObject, type Json } from './json.ts';
import { own } from './own.ts';

/** The value at a JSON pointer (RFC 6901); undefined where there is none. */
export function atPointer(value: Json, pointer: string): Json | undefined {
  let current: Json | undefined = value;
  for (const key of pointerParts(pointer)) {
    if (Array.isArray(current)) current = /^(0|[1-9]\d*)$/.test(key) ? current[Number(key)] : undefined;
    else if (isJsonObject(current)) current = own(current, key);
    else return undefined;
  }
  return current;
}

/** The steps of a JSON pointer, unescaped. */
export function pointerParts(pointer: string): string[] {
  const [, ...parts] = pointer.split('/');
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** One step of a JSON pointer, escaped. */
export function pointerPart(key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
