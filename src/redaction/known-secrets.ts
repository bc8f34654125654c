import path from 'node:path';
import { isJsonObject, type Json } from '../json/index.ts';
import { MIN_SECRET_CHARS } from './mask.ts';
import { keysIn } from './secret-shapes.ts';

/** Anywhere in a name, also as part of a longer word. */
const SECRET_PART = /SECRET|PASSWORD|PASSWD|PASSCODE|PASSPHRASE|CREDENTIAL|API_?KEY|AUTHORIZATION/i;
/** A value under such a word is secret, unless the next word of the name says otherwise. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  `KEY KEYS TOKEN TOKENS PASS DBPASS PWD CRED CREDS AUTH PAT JWT WEBHOOK DSN SAS PRIVATEKEY ACCESSKEY
  AUTHTOKEN ACCESSTOKEN SESSIONTOKEN`.split(/\s+/),
);
/** `KEY_FILE`, `TOKEN_LIMIT`, `ACCESS_KEY_ID`: facts about a secret are not secret. */
const TOLD_OF_ONE: ReadonlySet<string> = new Set(
  `FILE PATH DIR ID NAME USER USERNAME HOST PORT SOCK TYPE METHOD MODE SIZE LIMIT COUNT MAX MIN LENGTH
  TTL EXPIRY TIMEOUT ENABLED REGION PROVIDER ISSUER`.split(/\s+/),
);
/** Values under these words are public, however random they look: revisions, checksums, ids of runs. */
const PUBLIC_WORDS: ReadonlySet<string> = new Set(
  `SHA COMMIT REVISION REF BRANCH HASH DIGEST CHECKSUM INTEGRITY VERSION ID PATH DIR FILE HOME NAME RUN
  BUILD IMAGE TAG URL HOST COLORS`.split(/\s+/),
);

/** Where the secrets of a run come from. */
interface SecretSources {
  readonly environments: readonly NodeJS.ProcessEnv[];
  /** Variables in it that the user declares secret. */
  readonly named?: readonly string[];
  /** Values of request headers. */
  readonly headers?: readonly string[];
  /** Addresses that are called: their credentials are secret. */
  readonly urls?: readonly string[];
  /** Secret values themselves. */
  readonly values?: readonly string[];
}

/** The distinct values that must not be shown, each at least {@link MIN_SECRET_CHARS} characters long. */
export function secretsIn({ environments, named, headers = [], urls = [], values = [] }: SecretSources): string[] {
  const candidates = [
    ...environments.flatMap((each) => secretsInEnvironment(each, named)),
    ...headers.flatMap(withoutScheme),
    ...urls.flatMap((url) => [...secretsInUrl(url), new URL(url).username]),
    ...values,
  ];
  return [...new Set(candidates)].filter(({ length }) => length >= MIN_SECRET_CHARS);
}

/**
 * The values in an environment that must not be shown, judged by name and by shape.
 * `DATABASE_URL=postgres://app:hunter2x@db/app` -> `hunter2x`.
 * @param named variables that the user declares secret
 */
function secretsInEnvironment(environment: NodeJS.ProcessEnv, named: readonly string[] = []): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (named.includes(name)) return [value];
    const isSecret = isSecretName(name) && !isSetting(name, value);
    return [...(isSecret ? [value, ...listed(name, value)] : []), ...secretsInValue(name, value)];
  });
}

/** The secrets in a URL: its password, a user without a password, a key in its query; encoded and decoded. */
function secretsInUrl(text: string): string[] {
  const url = URL.parse(text);
  if (url === null) return [];
  // A user without a password can be a key, as in a Sentry DSN; beside a password it is a name.
  const isKey = url.password === '' && (looksRandom(url.username) || keysIn(url.username).length > 0);
  const users = [...(isKey ? [url.username] : []), url.password, decoded(url.password)];
  const keys = [...url.searchParams].flatMap(([name, value]) =>
    isSecretName(name) || looksRandom(value) ? [value, encodeURIComponent(value)] : [],
  );
  return [...users, ...keys, ...(IS_WEBHOOK.test(url.host + url.pathname) ? [text, url.pathname] : [])];
}

/** Anybody who knows such an address may write to it. */
const IS_WEBHOOK =
  /^hooks\.(slack|zapier)\.com\/|^discord(app)?\.com\/api\/webhooks\/|\.webhook\.office\.com\/|\/webhooks?\/[^/]+|^api\.telegram\.org\/bot\d/;

function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const isFact = TOLD_OF_ONE.has(words.at(-1) ?? '');
  if (SECRET_PART.test(name)) return !isFact || /^(SECRET|PASSWORD)|SECRET_?ID$/i.test(name);
  return !isFact && words.some((word) => SECRET_WORDS.has(word));
}

/** `dbPassword_2` -> `DB`, `PASSWORD`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z]+/)
    .filter((word) => word !== '');
}

/** `MAX_TOKENS=128000`, `AUTH=required`: numbers and plain words are settings, unless the name leaves no doubt. */
function isSetting(name: string, value: string): boolean {
  // This is the current folder, not a password.
  if (name === 'PWD' && path.isAbsolute(value)) return true;
  return (
    !/PASS|SECRET|PWD|CRED/i.test(name) &&
    /^(\d{1,12}|true|false|none|enabled|disabled|required|optional)$/i.test(value)
  );
}

/** `API_KEYS=one,two`: each item is a secret. */
function listed(name: string, value: string): string[] {
  return /(KEY|TOKEN|SECRET|PASSWORD|PAT|CREDENTIAL)S([^A-Z]|$)/i.test(name) ? value.split(/[,;|\s]+/) : [];
}

function secretsInValue(name: string, value: string): string[] {
  const trimmed = value.trim();
  const json = jsonOf(trimmed);
  if (json !== undefined) return secretsInJson(json);
  // A key of several lines is often written in one, with escaped breaks.
  if (trimmed.includes('-----BEGIN ')) return [value, value.replaceAll('\\n', '\n')];
  if (/^[a-z][\w+.-]*:\/\//i.test(trimmed)) return [...keysIn(trimmed), ...secretsInUrl(trimmed)];
  const isPublic = wordsOf(name).some((word) => PUBLIC_WORDS.has(word));
  return [
    ...keysIn(trimmed),
    ...(!isPublic && looksRandom(trimmed) ? [value] : []),
    ...(IS_CREDENTIAL.test(trimmed) ? withoutScheme(trimmed) : []),
    ...secretsInSettings(trimmed),
    ...secretsInLines(trimmed),
    ...secretsInBase64(trimmed),
  ];
}

/** `Server=db;Password=x`, `host=db password=x`, `api-key=x,tenant=y`, `user:password@tcp(db)/app`. */
function secretsInSettings(value: string): string[] {
  const parts = [
    ...value.matchAll(/(?<![^;,&?\s])([\w.-]{1,40}(?: [\w.-]{1,40}){0,2})\s?=\s?("[^"]*"|'[^']*'|[^;,&\s]+)/g),
  ];
  const named = parts.flatMap(([, name = '', part = '']) => underName(name, part));
  const [, password] = /^[^\s:@/]{1,128}:([^\s@]{1,256})@\w+\(/.exec(value) ?? [];
  return password === undefined ? named : [...named, password];
}

/** `Authorization: Bearer x`, and lines of YAML: `password: x`. */
function secretsInLines(value: string): string[] {
  const named = [...value.matchAll(/^[ \t]{0,40}(["']?)([\w.-]{1,40})\1:[ \t]{1,40}(\S[^\n]*)$/gm)];
  return named.flatMap(([, , name = '', part = '']) => underName(name, part));
}

function underName(name: string, part: string): string[] {
  const plain = part.trim().replace(/^(["'])(.*)\1$/, '$2');
  return isSecretName(name) && !isSetting(name, plain)
    ? [...withoutScheme(plain), ...withoutScheme(decoded(plain))]
    : [];
}

/** A header's value, and the part after `Bearer`. */
function withoutScheme(value: string): string[] {
  return [value, value.replace(/^(Basic|Bearer)\s+/i, '')];
}

const IS_CREDENTIAL = /^(Basic|Bearer)\s+\S+$/i;

/** A list instead of recursion, because 64 KiB can nest deeper than the stack holds. */
function secretsInJson(root: Json): string[] {
  const values: { readonly name: string; readonly value: Json }[] = [{ name: '', value: root }];
  const secrets: string[] = [];
  for (const { name, value } of values) {
    if (typeof value === 'string') {
      secrets.push(...(isSecretName(name) ? [value] : []), ...secretsInValue(name, value));
    } else if (Array.isArray(value)) {
      for (const item of value) values.push({ name, value: item });
    } else if (isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) values.push({ name: key, value: item });
    }
  }
  return secrets;
}

/** JSON credentials are often passed on as base64: then the whole is secret, and so are the values in it. */
function secretsInBase64(value: string): string[] {
  if (value.length < MIN_RANDOM_CHARS || !/^(eyJ|ew[o0])/.test(value) || /[^\w+/=-]/.test(value)) return [];
  const json = jsonOf(Buffer.from(value, 'base64').toString('utf8').trim());
  const secrets = json === undefined ? [] : secretsInJson(json);
  return secrets.length === 0 ? [] : [value, ...secrets];
}

/** Longest JSON that is searched; configurations in variables are of that size. */
const MAX_JSON_CHARS = 64 * 1024;

function jsonOf(text: string): Json | undefined {
  if (!/^[[{]/.test(text) || text.length > MAX_JSON_CHARS) return undefined;
  try {
    // Of any depth: what is nested too deep for a value of a trace can still hold a secret.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Shorter random runs are ids of all kinds; a UUID has no run this long. */
const MIN_RANDOM_CHARS = 20;
const MIN_HEX_CHARS = 32;
/** Bits per character. Random text of this length has more; names and words have less. */
const MIN_BITS = 3.4;
const MIN_HEX_BITS = 3;

/** Whether a value is one run of characters that nobody would write, so most probably a key. Paths and dates are not. */
function looksRandom(value: string): boolean {
  if (value.length > 4_096 || !/^[\w+/=.~-]+$/.test(value) || value.startsWith('/')) return false;
  const runs = value.split(/[-_.~=]+/);
  return runs.some((run) => {
    if (/^(?=.*\d)(?=.*[a-f])([\da-f]+|[\dA-F]+)$/i.test(run)) {
      return run.length >= MIN_HEX_CHARS && bitsOf(run) >= MIN_HEX_BITS;
    }
    const isMixed = /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run);
    return isMixed && run.length >= MIN_RANDOM_CHARS && bitsOf(run) >= MIN_BITS;
  });
}

/** Shannon's entropy of a text, in bits per character. */
function bitsOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

/** A percent sign that escapes nothing stays. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
