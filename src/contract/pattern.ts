import { z } from 'zod';

/** Longer ones are not written by hand. */
const MAX_CHARS = 500;

/** A regular expression as text, for `new RegExp(text, 'gu')`. */
export const pattern = z
  .string()
  .min(1)
  .max(MAX_CHARS)
  .refine(isPattern, { error: 'a regular expression is required' });

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'gu');
    return true;
  } catch {
    return false;
  }
}
