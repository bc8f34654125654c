import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from './json.ts';

const { jitless = false } = z.config();
// Most schemas read one value of a run, and making code for them takes longer than reading it.
z.config({ jitless: true });

/** All copies of zod in a process have one configuration. Whoever is a guest there gives it back when its own schemas are made. */
export function giveBackZod(): void {
  z.config({ jitless });
}

/** Any JSON value, as it is. Nothing is copied, so no key is lost and depth does not matter. */
export const json = z.custom<Json>((value) => value !== undefined, { error: 'expected a JSON value' });
export const jsonObject = z.custom<JsonObject>((value) => isJsonObject(value as Json), {
  error: 'expected an object',
});
