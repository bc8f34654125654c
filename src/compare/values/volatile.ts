import type { Json } from '../../json/index.ts';
import { leavesIn } from './canonical.ts';

/**
 * Every shape that generators of ids and clocks write, longest alternatives first. Anything that is neither uuid nor time,
 * nor in a folder for temporary files, is a word with a digit near its start, which {@link shapeOfWord} examines. Lookaheads
 * are bounded.
 */
const TOKEN =
  /(?<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)|(?<time>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)|(?<=[\\/](?:te?mp|T)[\\/])(?<temporary>tmp[\w.-]{6,100}|(?:[a-z0-9]{1,60}[._-]){1,9}(?=[a-z]{0,60}\d)\w{5,60}(?![\w.-]))|\b(?=[\w-]{10})(?=[a-z_-]{0,64}\d)[a-z0-9]+(?:[_-]{1,2}[a-z0-9]+)*/gi;

/** Prefixes of ids by model providers and SDKs. Bounded, because the engine's stack ends at some 8 million characters. */
const PROVIDER_ID = /^(?:call|toolu|chatcmpl|msg|run|resp|req|asst|thread|fc|rs)[_-][A-Za-z0-9_-]{6,1000}$/;
/** `user_` and a uuid. */
const UUID_AT_END = /[_-][0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const HEX = /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{16}[0-9a-f]*$/i;
/** A shorter id of letters and digits could as well be a product or a version. */
const MIN_MIXED = 16;
const MIN_DIGITS = 3;
/** Longer words are content (base64), not ids. */
const MAX_ID = 200;

/** A piece of text that looks generated, and its shape. */
export interface Token {
  readonly text: string;
  readonly shape: string;
}

/** Everything of volatile shape in a value, in order. */
export function tokensIn(value: Json): Token[] {
  const tokens: Token[] = [];
  const collect = (token: Token): string => {
    tokens.push(token);
    return token.text;
  };
  for (const leaf of leavesIn(value)) if (typeof leaf === 'string') replaceTokens(leaf, collect);
  return tokens;
}

/** Everything in a value that looks like an id, in order. */
export function idsIn(value: Json): string[] {
  return tokensIn(value).flatMap(({ text, shape }) => (shape === 'time' ? [] : text));
}

export function replaceTokens(text: string, replace: (token: Token) => string): string {
  if (!mayHoldToken(text)) return text;
  return text.replace(TOKEN, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const [shape = shapeOfWord(match)] = ['uuid', 'time', 'temporary'].filter((each) => groups[each] !== undefined);
    return shape === undefined ? match : replace({ text: match, shape });
  });
}

/** Nothing shorter has a volatile shape. */
const MIN_TOKEN = 9;

/** Whether a run of {@link MIN_TOKEN} word characters and hyphens contains a digit. Most texts have none. */
function mayHoldToken(text: string): boolean {
  let length = 0;
  let hasDigit = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isDigit = code >= 0x30 && code <= 0x39;
    if (isDigit || (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code === 0x2d) {
      hasDigit ||= isDigit;
      if (++length >= MIN_TOKEN && hasDigit) return true;
    } else if (length > 0) {
      length = 0;
      hasDigit = false;
    }
  }
  return false;
}

function shapeOfWord(word: string): string | undefined {
  if (word.length > MAX_ID) return undefined;
  if (PROVIDER_ID.test(word)) return 'id';
  if (UUID_AT_END.test(word)) return 'uuid';
  if (ULID.test(word)) return 'ulid';
  const last = word.slice(Math.max(word.lastIndexOf('_'), word.lastIndexOf('-')) + 1);
  if (HEX.test(last)) return 'hex';
  const isNano = word.length >= MIN_NANO && word.length <= MAX_NANO && isShuffled(word);
  return isNano || isMixed(last) ? 'id' : undefined;
}

/** Of 21 characters of any kind, of which the border of a word may cut some. */
const [MIN_NANO, MAX_NANO] = [18, 21];
/** Changes between small letters, capitals and digits: words in a row have few. */
const MIN_SHUFFLED = 9;

function isShuffled(word: string): boolean {
  const changes = word.match(/(?<=[a-z])[^a-z]|(?<=[A-Z])[^A-Z]|(?<=\d)\D/g)?.length ?? 0;
  return changes >= MIN_SHUFFLED && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(word));
}

function isMixed(word: string): boolean {
  if (word.length < MIN_MIXED || !/[A-Za-z]/.test(word)) return false;
  return (word.match(/\d/g)?.length ?? 0) >= MIN_DIGITS || isShuffled(word);
}

/** Shorter ones could easily be a code that somebody reads. */
const MIN_HASH = 8;
const MIN_RANDOM = 12;
/** A longer word is content. The engine overflows its stack on some patterns with millions of characters. */
const MAX_GENERATED = 2 ** 16;
/** Changes between letters and digits: names, numbers and codes have few. */
const MIN_CHANGES = 4;

/**
 * Whether a whole value can only be generated: a uuid, a ulid, a provider's id, a hash, a random token. A number, date,
 * name or code (`ORD-2026-118`, `4WQ150`) is not, whoever wrote it.
 */
export function isGenerated(value: string): boolean {
  if (value.length > MAX_GENERATED) return false;
  // Servers write the hash of a page as `W/"5f2a..."`.
  const text = value.trim().replace(/^(?:W\/)?"(.*)"$/, '$1');
  if (!/^[\w+/=.~:-]+$/.test(text)) return false;
  if (UUID.test(text) || UUID_AT_END.test(text) || ULID.test(text) || PROVIDER_ID.test(text)) return true;
  // `sha256:...`, `req_...`
  const last = text.slice(text.search(/(?<![^:_-])[^:_-]*$/));
  const isHash = last.length >= MIN_HASH && /^[0-9a-f]+$/i.test(last) && /\d/.test(last) && /[a-f]/i.test(last);
  return isHash || isRandom(text) || isRandom(last);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function isRandom(word: string): boolean {
  const changes = word.match(/(?<=\d)[A-Za-z]|(?<=[A-Za-z])\d/g)?.length ?? 0;
  return word.length >= MIN_RANDOM && changes >= MIN_CHANGES;
}
