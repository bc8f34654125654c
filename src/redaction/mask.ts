/**
 * The shortest value, in characters, that is taken for a secret wherever texts are redacted. Shorter ones are words and
 * numbers: replacing them everywhere would garble every text and hide nothing.
 */
export const MIN_SECRET_CHARS = 6;

/**
 * What stands in the place of a secret, in pins as in every output: all look the same, since nothing of one may be told,
 * and one that was found by its shape when a session was pinned equals one that is known by its value when it is replayed.
 */
export const SECRET = '<secret>';
