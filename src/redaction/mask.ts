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
