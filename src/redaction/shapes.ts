import { createHash } from 'node:crypto';
import type { LinearPattern } from '../pattern.ts';
import { SECRET } from './mask.ts';

/** What is looked for in a text: keys and passwords (`secret`), the user's own patterns, and personal data (the others). */
export type RedactedKind = 'secret' | 'pattern' | 'email' | 'card' | 'phone';

const SECRET_NAMES =
  'pass(?:word|wd|phrase)|api[_-]?key|(?:client|app)[_-]?secret|secret(?:[_-]?(?:access[_-]?)?key)?|private[_-]?key|(?:access|refresh|id|auth)[_-]?token|authorization';

/** Under a key of such a name stands a secret, whatever it looks like. */
export const SECRET_NAME = new RegExp(`^(?:${SECRET_NAMES})$`, 'i');

// Every pattern takes a whole run of the characters it is made of, and cannot start inside of one (lookbehind).
// So each character is looked at a bounded number of times, and what is left over can never match on a second pass.
// No repeat is without end: JavaScript's engine keeps a note of each step back, and throws after some 16 million.

/** No key is longer. */
const LONG = 2 ** 16;

/** The same in JSON that is held by a string, such as the arguments of a tool call. */
const NAMED_SECRET = new RegExp(
  `(["'](?:${SECRET_NAMES})\\\\?["']\\s{0,4}:\\s{0,4}\\\\?["'])([^"'\\\\<>]{1,${LONG}})`,
  'gi',
);

/** Keys that are known by their beginning. */
const KEY = new RegExp(
  [
    `gh[pousr]_[A-Za-z0-9]{20,${LONG}}`,
    `github_pat_\\w{20,${LONG}}`,
    `glpat-[\\w-]{20,${LONG}}`,
    `xox[a-z]-[\\w-]{10,${LONG}}`,
    `xapp-[\\w-]{10,${LONG}}`,
    '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])',
    `AIza[\\w-]{35,${LONG}}`,
    `ya29\\.[\\w-]{20,${LONG}}`,
    `npm_[A-Za-z0-9]{36,${LONG}}`,
    `hf_[A-Za-z0-9]{30,${LONG}}`,
    `[rsp]k_(?:live|test)_[A-Za-z0-9]{16,${LONG}}`,
    `whsec_[A-Za-z0-9+/=]{16,${LONG}}`,
    `SG\\.[\\w-]{16,${LONG}}\\.[\\w-]{16,${LONG}}`,
  ]
    .map((shape) => `(?<![A-Za-z0-9])${shape}`)
    .concat(
      `(?<![\\w-])eyJ[\\w-]{8,${LONG}}\\.eyJ[\\w-]{8,${LONG}}(?:\\.[\\w-]{0,${LONG}})?`,
      '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,9999}',
    )
    .join('|'),
  'g',
);

/** Beginnings that ordinary words have too: only with a digit is it a key. */
const LIKELY_KEY = new RegExp(
  `(?<![A-Za-z0-9])[sp]k-[\\w-]{16,${LONG}}|(?<=\\bbearer\\s)[\\w.~+/=-]{16,${LONG}}`,
  'gi',
);

/** The user information of a URL. */
const URL_CREDENTIALS = /(?<=:\/\/)[^\s/@:<>]{1,128}:[^\s/@<>]{1,256}(?=@)/g;

/** Stands before the @ of an address. */
const LOCAL = /^[\p{L}\p{N}_.+-]$/u;
/** Stands behind it: parts as in RFC 1035, whose bounds keep a text of dots and letters linear. */
const HOST = /(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63}/uy;
/** What is written on to the host belongs to it: here it ends. */
const HOST_END = /[^\p{L}\p{N}-]|$/gu;

const CARD_RUN = /(?<![\w.-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{5})(?![\w-])/g;
/** Visa, Mastercard, American Express, Discover, JCB: other digits that happen to pass the check are ids. */
const ISSUED = /^(?:4|5[1-5]|2[2-7]|3[47]|6011|65|35)/;

/** International, or grouped as in North America; bare digits are ids, amounts and times. */
const PHONE = /\+\d(?:[ .()-]{0,2}\d){7,14}(?!\w)|(?:\(\d{3}\) ?|(?<![\w.+-])\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])/g;

/** What stands in the place of something: a user's pattern may match anything, but not that. */
const TOKEN = /(<(?:secret|(?:pattern|email|card|phone):[0-9a-f]{4})>)/;

/**
 * Replaces what is sensitive in a text; doing it twice is doing it once.
 * Linear in the text.
 * @param patterns of the user
 */
export function redactText(
  text: string,
  kinds: readonly RedactedKind[],
  onFound: (kind: RedactedKind) => void,
  patterns: readonly LinearPattern[] = [],
): string {
  const found = (kind: RedactedKind, replacement: string) => {
    onFound(kind);
    return replacement;
  };
  const pseudonym = (kind: RedactedKind, value: string) => found(kind, `<${kind}:${fingerprint(value)}>`);
  const redact: Record<RedactedKind, (text: string) => string> = {
    secret: (text) =>
      text
        .replace(NAMED_SECRET, (_, before: string) => `${before}${found('secret', SECRET)}`)
        .replace(KEY, () => found('secret', SECRET))
        .replace(LIKELY_KEY, (run) => (/\d/.test(run) ? found('secret', SECRET) : run))
        .replace(URL_CREDENTIALS, () => found('secret', SECRET)),
    pattern: (text) => {
      if (patterns.length === 0) return text;
      const masked = (part: string) =>
        patterns.reduce(
          (rest, pattern) => pattern.replace(rest, (match) => (match === '' ? '' : pseudonym('pattern', match))),
          part,
        );
      return text
        .split(TOKEN)
        .map((part, index) => (index % 2 === 1 ? part : masked(part)))
        .join('');
    },
    email: (text) => replaceEmails(text, (address) => pseudonym('email', address.toLowerCase())),
    card: (text) => text.replace(CARD_RUN, (run) => (isCard(digitsOf(run)) ? pseudonym('card', digitsOf(run)) : run)),
    phone: (text) => text.replace(PHONE, (run) => pseudonym('phone', digitsOf(run))),
  };
  return kinds.reduce((result, kind) => redact[kind](result), text);
}

/** Found by their @: nothing else of a text is looked at. */
function replaceEmails(text: string, replacement: (address: string) => string): string {
  let [result, from] = ['', 0];
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > from) {
      const before = /[\udc00-\udfff]/.test(text[start - 1] as string) ? start - 2 : start - 1;
      if (before < from || !LOCAL.test(text.slice(before, start))) break;
      start = before;
    }
    HOST.lastIndex = at + 1;
    const host = start === at ? undefined : HOST.exec(text)?.[0];
    if (host === undefined) continue;
    HOST_END.lastIndex = at + 1 + host.length;
    const end = HOST_END.exec(text)?.index ?? text.length;
    result += text.slice(from, start) + replacement(text.slice(start, end));
    from = end;
  }
  return result + text.slice(from);
}

const FINGERPRINT_CHARS = 4;

/**
 * So short that many values share it and none can be found from it, long enough that two values in one conversation
 * rarely do: another e-mail address is still another one to the comparison.
 */
function fingerprint(value: string): string {
  return createHash('sha256').update(value).digest('hex').slice(0, FINGERPRINT_CHARS);
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** Luhn's check, for numbers of the known issuers. */
function isCard(digits: string): boolean {
  if (!ISSUED.test(digits) || digits.length > 19) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** What in a text is a key by its shape alone, as it is written there. */
export function keysIn(text: string): string[] {
  const likely = (text.match(LIKELY_KEY) ?? []).filter((run) => /\d/.test(run));
  return [...(text.match(KEY) ?? []), ...likely];
}
