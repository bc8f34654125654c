import { isJsonObject, type Json, type JsonObject, own } from '../json/index.ts';

/** The keys that link a model's call and its result, in messages, metadata and results. */
export const CALL_ID_NAMES = ['tool_call_id', 'toolCallId', 'call_id', 'callId', 'tool_use_id', 'toolUseId'] as const;

/** The first of several keys with a non-empty text. */
export function textAt(object: JsonObject, keys: readonly string[]): string | undefined {
  return firstAt(object, keys, (value): value is string => typeof value === 'string' && value !== '');
}

/** The first of several keys with any value, including null. */
export function valueAt(object: JsonObject, keys: readonly string[]): Json | undefined {
  return firstAt(object, keys, (value) => value !== undefined);
}

export function objectAt(object: JsonObject, keys: readonly string[]): JsonObject | undefined {
  return firstAt(object, keys, isJsonObject);
}

function firstAt<T extends Json>(
  object: JsonObject,
  keys: readonly string[],
  fits: (value: Json | undefined) => value is T,
): T | undefined {
  for (const key of keys) {
    const value = own(object, key);
    if (fits(value)) return value;
  }
  return undefined;
}
