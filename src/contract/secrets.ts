/**
 * The shortest value, in characters, that is taken for a secret wherever texts are redacted. Shorter ones are words and
 * numbers: replacing them everywhere would garble every text and hide nothing.
 */
export const MIN_SECRET_CHARS = 6;
