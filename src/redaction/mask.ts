import { hidesSome, SEEN_FORMS } from './view.ts';

/**
 * The shortest value, in characters, that counts as a secret in texts. Shorter ones are words and numbers: replacing those
 * everywhere would garble every text and hide nothing.
 */
export const MIN_SECRET_CHARS = 6;

/**
 * Replaces a secret, in pins as in every output. It is always the same: nothing about the secret may show, and a secret
 * found by its shape when pinning must equal one known by its value when replaying.
 */
export const SECRET = '<secret>';

/**
 * Makes a redaction look at a text as it is and then as readers see it: what is shown without escape sequences and
 * invisible characters joins the parts of a secret between which they stand. Only then is the text returned without them.
 */
export function asSeen(redact: (text: string) => string): (text: string) => string {
  return (text) => {
    let masked = redact(text);
    if (!hidesSome(masked)) return masked;
    for (const formOf of SEEN_FORMS) {
      const seen = formOf(masked);
      const shown = redact(seen);
      if (shown !== seen) masked = shown;
    }
    return masked;
  };
}
