import type { Json } from '../../json/index.ts';
import { leavesIn } from './canonical.ts';
import { commonPrefix } from './common-prefix.ts';

/**
 * Every shape that generators of ids and clocks write, longest alternatives first. Anything that is neither uuid nor time,
 * nor in a folder for temporary files, is a word, which {@link tokenIn} examines. Lookaheads are bounded.
 */
const TOKEN =
  /(?<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)|(?<time>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)|(?<=[\\/](?:te?mp|T)[\\/])(?<temporary>tmp[\w.-]{5,99}\w|(?:[a-z0-9]{1,60}[._-]){1,9}(?=[a-z]{0,60}\d)\w{5,60}(?![\w.-]))|(?<![\w-])[\w-]{10,}/gi;

/** Prefixes of ids by model providers and SDKs. Bounded, because the engine's stack ends at some 8 million characters. */
const PROVIDER_ID = /^(?:call|toolu|chatcmpl|msg|run|resp|req|asst|thread|fc|rs)[_-][A-Za-z0-9_-]{6,1000}$/;
/** A uuid, also behind `user_`. */
const UUID_AT_END = /(?:^|[_-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX = /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{16}[0-9a-f]*$/i;
/** A shorter id of letters and digits could as well be a product or a version. */
const MIN_MIXED = 16;
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
  // A long word, and a digit or capitals within words: most texts have none.
  if (!/[\w-]{9}/.test(text) || !/\d|[a-z][A-Z]/.test(text)) return text;
  return text.replace(TOKEN, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const shape = ['uuid', 'time', 'temporary'].find((each) => groups[each] !== undefined);
    const token = shape === undefined ? tokenIn(match) : { text: match, shape };
    return token === undefined ? match : match.replace(token.text, () => replace(token));
  });
}

/** A random word may begin and end with a hyphen; any other one ends before it. */
function tokenIn(word: string): Token | undefined {
  if (word.length > MAX_ID || !(/\d/.test(word) || hasBothCases(word))) return undefined;
  const text = isDense(word) ? word : word.replace(/^[_-]+|[_-]+$/g, '');
  const shape = text.length < MIN_TOKEN ? undefined : shapeOfWord(text);
  return shape === undefined ? undefined : { text, shape };
}

/** Nothing shorter has a volatile shape. */
const MIN_TOKEN = 9;

function hasBothCases(word: string): boolean {
  return /[a-z]/.test(word) && /[A-Z]/.test(word);
}

function shapeOfWord(word: string): string | undefined {
  if (PROVIDER_ID.test(word)) return 'id';
  if (UUID_AT_END.test(word)) return 'uuid';
  const last = word.split(/[_-]/).at(-1) ?? '';
  if (HEX.test(last)) return 'hex';
  return isMixed(last) || isDense(word) ? 'id' : undefined;
}

function isMixed(word: string): boolean {
  return word.length >= MIN_MIXED && /[A-Za-z]/.test(word) && /(?:\d\D*){3}/.test(word);
}

/** In a random word, small letters, capitals and digits change more often than this, in characters. */
const MAX_PIECE = 3.4;
const MAX_PIECE_OF_TWO = 4;
const MIN_RANDOM_PART = 12;
/** Names of machines and branches have hyphens, digits and small letters, too: they need both cases. */
const PREFIX = /^(?:[a-z]{1,12}[_-])+(?=.{12})/;

/** Whether a word is too dense for one of people: `tEwX5CVVZXPYQADC1whIX`, `qkcqiuzmcckm2pfwrazrafo`. */
function isDense(word: string, maxPiece = MAX_PIECE): boolean {
  if (word.length < MIN_MIXED) return false;
  const part = word.replace(PREFIX, '');
  const pieces = part.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  const isWhole = !/[_-]/.test(part);
  const digits = pieces.filter((piece) => /\d/.test(piece)).length;
  const hard = digits > 0 && isWhole ? part.split(/[bcdfghjklmnpqrstvwxz]{4,}/).length - 1 : 0;
  if (!hasBothCases(part)) {
    if (!isWhole || digits === 0 || digits === pieces.length) return false;
    if (digits + hard > 1 && part.length >= MIN_LONG) return true;
  }
  return pieces.length + 2 * hard >= Math.max(4, part.length / maxPiece);
}

/** A whole word that looks generated. */
export function wholeToken(word: string): Token | undefined {
  const token = tokenIn(word);
  return token?.text === word ? token : undefined;
}

/** What any random word has. */
const LIKELY = /[\dA-Z]|[bcdfghjklmnpqrstvwxz]{3}/;

/** Whether two different words come from one generator: of one length, with a prefix in common. */
export function areAlike(a: string, b: string): boolean {
  if (a.length !== b.length || a.length < MIN_MIXED || !LIKELY.test(a) || !LIKELY.test(b)) return false;
  const start = commonPrefix(a, b);
  const [x, y] = [a.slice(start), b.slice(start)];
  if (x.length < MIN_RANDOM_PART) return false;
  const token = wholeToken(a) ?? wholeToken(b);
  if (token?.shape === 'hex') return /^[0-9a-f]+$/i.test(x + y);
  return token !== undefined || isDense(x + y, MAX_PIECE_OF_TWO);
}

/** Codes that people read are shorter. */
const MIN_LONG = 20;

/** Shorter ones could easily be a code that somebody reads. */
const HASH = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{8,}$/i;
/** A longer word is content. The engine overflows its stack on some patterns with millions of characters. */
const MAX_GENERATED = 2 ** 16;

/**
 * Whether a whole value can only be generated: a uuid, a provider's id, a hash, a random token. A number, date,
 * name or code (`ORD-2026-118`, `4WQ150`) is not, whoever wrote it.
 */
export function isGenerated(value: string): boolean {
  if (value.length > MAX_GENERATED) return false;
  // Servers write the hash of a page as `W/"5f2a..."`.
  const text = value.trim().replace(/^(?:W\/)?"(.*)"$/, '$1');
  if (!/^[\w+/=.~:-]+$/.test(text)) return false;
  if (UUID_AT_END.test(text) || PROVIDER_ID.test(text)) return true;
  // `sha256:...`, `req_...`
  const last = text.split(/[:_-]/).at(-1) ?? '';
  return HASH.test(last) || isRandom(text) || isRandom(last);
}

/** Letters and digits change often: in names, numbers and codes they seldom do. */
function isRandom(word: string): boolean {
  return word.length >= MIN_RANDOM_PART && word.split(/(?<=\d)(?=[A-Za-z])|(?<=[A-Za-z])(?=\d)/).length > 4;
}
