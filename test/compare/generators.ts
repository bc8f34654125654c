/** What programs make anew in every run, by the tool that makes it: each as its own code draws it. */
export type Draw = (random: () => number) => string;

const SMALL = 'abcdefghijklmnopqrstuvwxyz';
const BASE36 = `0123456789${SMALL}`;
const BASE62 = BASE36 + SMALL.toUpperCase();
const BASE64URL = `${BASE62}-_`;
const HEX = BASE36.slice(0, 16);
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const of = (alphabet: string, length: number, prefix = ''): Draw => {
  return (random) =>
    prefix + Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)] as string).join('');
};
const hex = (length: number, prefix = '') => of(HEX, length, prefix);
const joined =
  (...parts: readonly (Draw | string)[]): Draw =>
  (random) =>
    parts.map((part) => (typeof part === 'string' ? part : part(random))).join('');

/** Of a recording's year: ids with a time in them share their beginning. */
const millis = (random: () => number) => Date.UTC(2026, 0, 1) + Math.floor(random() * 31_536_000_000);
const seconds: Draw = (random) => Math.floor(millis(random) / 1_000).toString(16);
const uuid = (version: string): Draw =>
  joined(hex(8), '-', hex(4), `-${version}`, hex(3), '-', of('89ab', 1), hex(3), '-', hex(12));
const crockford = (number: number, length: number) => {
  let [text, rest] = ['', number];
  for (let at = 0; at < length; at++, rest = Math.floor(rest / 32)) text = CROCKFORD[rest % 32] + text;
  return text;
};

/** With sixteen characters or more: the comparison knows them. */
export const RECOGNISED: Readonly<Record<string, Draw>> = {
  'hex 16': hex(16),
  'hex 16, prefix': hex(16, 'rf_'),
  'hex 20': hex(20),
  'hex 20, prefix': hex(20, 'rf_'),
  'hex 24': hex(24),
  'hex 24, prefix': hex(24, 'rf_'),
  'hex 32': hex(32),
  'hex 32, prefix': hex(32, 'ord-'),
  'hex 40': hex(40),
  'HEX 16': (random) => hex(16)(random).toUpperCase(),
  'uuid v4': uuid('4'),
  'uuid v4, prefix': joined('user_', uuid('4')),
  'uuid v7': (random) => {
    const time = millis(random).toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${uuid('7')(random).slice(15)}`;
  },
  'nanoid 21': of(BASE64URL, 21),
  'nanoid 21, prefix': of(BASE64URL, 21, 'usr_'),
  'base62 16': of(BASE62, 16),
  'base62 16, prefix': of(BASE62, 16, 'key_'),
  'base62 22': of(BASE62, 22),
  'base62 24': of(BASE62, 24),
  'base62 24, prefix': of(BASE62, 24, 'cus_'),
  cuid: joined('c', (random) => millis(random).toString(36), of(BASE36, 16)),
  cuid2: joined(of(SMALL, 1), of(BASE36, 23)),
  ulid: joined((random) => crockford(millis(random), 10), of(CROCKFORD, 16)),
  typeid: joined('order_0', (random) => crockford(millis(random), 9).toLowerCase(), of(CROCKFORD.toLowerCase(), 16)),
  ksuid: joined('2', of(BASE62, 26)),
  'base64url 16 bytes': of(BASE64URL, 22),
  'base64url 32 bytes': of(BASE64URL, 43),
  'Mongo id': joined(seconds, hex(16)),
  'Stripe charge': joined('ch_3N', of(BASE62, 22)),
  'Stripe customer': of(BASE62, 14, 'cus_'),
  'Stripe session': of(BASE62, 58, 'cs_test_'),
  'OpenAI call': of(BASE62, 24, 'call_'),
  'ETag, hash': joined('"', hex(32), '"'),
  'git commit': hex(40),
};
