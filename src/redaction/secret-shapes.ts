import { createHash } from 'node:crypto';
import type { LinearPattern } from '../pattern.ts';
import { ASSIGNED } from './gitleaks/rules.ts';
import { asSeen, SECRET } from './mask.ts';

/** What is searched for in a text: keys and passwords (`secret`), the user's own patterns, and personal data (the others). */
export type RedactedKind = 'secret' | 'pattern' | 'email' | 'card' | 'phone';

const SECRET_NAMES =
  'pass(?:word|wd|phrase)|api[_-]?key|(?:client|app)[_-]?secret|secret(?:[_-]?(?:access[_-]?)?key)?|private[_-]?key|(?:access|refresh|id|auth)[_-]?token|authorization';

/** A value under such a key is secret, whatever it looks like. */
export const SECRET_NAME = new RegExp(`^(?:${SECRET_NAMES})$`, 'i');

// Every pattern matches a whole run of its characters and cannot start inside one (lookbehind). So each character is
// examined a bounded number of times, and the rest can never match on a second pass. No repeat is unbounded: JavaScript's
// engine records each step back, and throws after some 16 million.

/** No key is longer. */
const LONG = 2 ** 16;

/** A quote, also in JSON inside a string, such as the arguments of a tool call, and there again. */
const QUOTE = `\\\\{0,7}(?:["']|u002[27])`;
/** The same beside its name. */
const NAMED_SECRET = new RegExp(
  `(${QUOTE}(?:${SECRET_NAMES})${QUOTE}\\s{0,4}(?::|=>)\\s{0,4}${QUOTE})([^"'\\\\<>]{1,${LONG}})`,
  'gi',
);

/** Random characters of a key, this many or more. */
const any = (least: number, characters = '\\w-') => `[${characters}]{${least},${LONG}}`;
const ALNUM = 'A-Za-z0-9';
const hex = (length: number) => `[a-fA-F0-9]{${length}}`;
/** So many, and no more: longer runs are hashes, or texts in base64. */
const just = (length: number, characters = ALNUM) => `[${characters}]{${length}}(?![${ALNUM}])`;
const UUID = `${hex(8)}(?:-${hex(4)}){3}-${hex(12)}`;

/** Keys as their vendors write them: a prefix, then random characters. By what they open. */
const SHAPES = [
  // models and what agents are built with
  `(?:gsk|fw|r8|hf|api_org|pcsk|e2b|lsv2_(?:pt|sk)|pylf_v\\d_[a-z]{2})_(?=\\w{0,40}\\d)${any(20)}`,
  `(?:xai|tvly|pplx|nvapi|csk)-(?=[\\w-]{0,40}\\d)${any(24)}|fc-${hex(32)}|sk_${hex(40)}|dapi${hex(32)}|(?:hf|api_org)_${just(34, 'A-Za-z')}`,
  `ABSK${any(109, `${ALNUM}+/=`)}|bedrock-api-key-YmVkcm9j\\w{1,999}|sgp_(?:(?:[a-f0-9]{16}|local)_)?${hex(40)}|sm_[aps]at_${just(16)}|s-s4t2(?:ud|af)-${hex(64)}`,
  // code, packages
  `gh[pousr]_${any(20, ALNUM)}|github_pat_${any(20)}|gl(?:pat|dt|rt|ptt|ft|imt|agent|oas|soat|ffct|cbt)-${any(20)}|GR1348941${any(20)}|AT(?:BB|ATT3)${any(20, '\\w=-')}`,
  `npm_${any(36, ALNUM)}|pypi-${any(50)}|rubygems_${hex(48)}|dckr_pat_${any(20)}|AKCp${any(69, ALNUM)}|cmVmd${just(59)}|CLOJARS_${any(60, ALNUM)}`,
  `PMAK-${hex(24)}-${hex(34)}|rdme_${any(70, ALNUM)}|pnu_${any(36, ALNUM)}|API-${just(26, 'A-Z0-9')}|(?:pat|sat)\\.${any(22)}\\.${any(24)}\\.${any(20)}`,
  // clouds and vaults
  `(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)${just(16, 'A-Z0-9')}|LTAI${just(20)}|p8e-${just(32)}|4b1d${just(38)}|AIza${any(35)}|ya29\\.${any(20)}|GOCSPX-${any(20)}|[\\w~.]{3}\\dQ~[\\w~.-]{31,34}`,
  `do[opr]_v1_${hex(64)}|sbp_${hex(40)}|pscale_\\w{2,5}_${any(32, '\\w=.-')}|dp\\.[a-z]{2,5}\\.${any(40, ALNUM)}|hv[sbr]\\.${any(24)}|s\\.(?=[a-zA-Z]{0,23}\\d)${just(24)}|(?:sc|ext|scauth|authress)_\\w{5,30}\\.\\w{4,6}\\.acc[_-][\\w-]{10,32}\\.${any(30, '\\w+/=-')}`,
  `[${ALNUM}]{14}\\.atlasv1\\.${any(60, '\\w=-')}|pul-${hex(40)}|AGE-SECRET-KEY-1${any(58, ALNUM)}|HRKU-AA${any(58)}|tk-us-${any(48)}`,
  `v1\\.0-${hex(24)}-${hex(146)}|fo1_${any(43)}|fm(?:1[ar]|2)_${any(100, `${ALNUM}+/=`)}|sha256~${any(43)}|ops_eyJ${any(250, `${ALNUM}+/=`)}|A3(?:-[A-Z0-9]{5,11}){4,5}`,
  // money
  `[rsp]k_(?:live|test|prod)_${any(10, ALNUM)}|whsec_${any(16, `${ALNUM}+/=`)}|(?:sq0[a-z]{3}-|EAAA)${any(22)}|shp(?:at|ca|pa|ss)_${hex(32)}`,
  `access-(?:sandbox|development|production)-${UUID}|EZ[AT]K${just(54)}|FLW(?:SEC|PUB)K(?:_TEST)?-${any(12, ALNUM)}|(?:duffel|shippo)_(?:test|live)_${any(40, '\\w=-')}`,
  // mail and messages
  `xox[a-z]-${any(8)}|xapp-${any(10)}|SG\\.${any(16, '\\w=.-')}|SK${just(32, 'a-fA-F0-9')}|xkeysib-${hex(64)}-${any(16, ALNUM)}|EAA[MC]${any(100, ALNUM)}|\\d{15,16}[|%][\\w-]{27,40}|key-${hex(32)}|${hex(32)}-us\\d{1,2}|\\d{8,10}:AA${any(32)}`,
  // what watches, and offices
  `dt0c01\\.${any(24, ALNUM)}\\.${any(64, ALNUM)}|ico-${just(32)}|[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk|eyJrIjoi${any(70, ALNUM)}|sntry[su]_${any(40, '\\w+/=')}|NRAK-${any(27, ALNUM)}|gl(?:c|sa)_${any(32, '\\w+/=')}|fio-u-${any(64, '\\w=-')}|(?:secret|ntn)_${any(40, ALNUM)}`,
  `lin_(?:api|oauth)_${any(32, ALNUM)}|pat${any(14, ALNUM)}\\.${hex(64)}|figd_${any(30)}|pat-(?:na|eu)\\d-${UUID}`,
];

/** Keys with a known shape. Two ways in: a key that begins a word, and those that say more of themselves. */
const KEY = new RegExp(
  // Most words of a text are shorter than the shortest key, and need no further look.
  `(?<![${ALNUM}])(?=[\\w.~:|%+/=-]{13})(?:${SHAPES.join('|')})` +
    `|(?<![\\w-])ZXlK[\\w+/-]{40,${LONG}}|(?<![\\w-])(?:[sp]k\\.)?eyJ[\\w-]{8,${LONG}}\\.(?:eyJ)?[\\w-]{8,${LONG}}(?:\\.[\\w-]{0,${LONG}})?` +
    `|(?<=hooks\\.slack\\.com/(?:services|workflows|triggers)/|discord(?:app)?\\.com/api/webhooks/|webhook\\.office\\.com/webhookb2/|_gitlab_session=)${any(20, '\\w/@+-')}` +
    '|-----BEGIN[A-Z0-9_ -]{0,100}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!-)){0,9999}',
  'g',
);

/** Prefixes that ordinary words have too: only with a digit it is a key. */
const LIKELY_KEY = new RegExp(
  `(?<![A-Za-z0-9])[sp]k-[\\w-]{16,${LONG}}|(?<=\\bbearer\\s)[\\w.~+/=-]{16,${LONG}}`,
  'gi',
);

/** Letters and digits in no order that a word has. */
const isRandom = (value: string) => /\d/.test(value) && /[A-Za-z]/.test(value) && new Set(value).size >= 8;
/** Nor a path, an address, or the name of a variable. */
const isUnwritten = (value: string) => isRandom(value) && !/^(?:\w+:\/\/|\/|\.|\$)/.test(value);

const ASSIGNED_RULES: [names: RegExp, shape: RegExp][] = [];
for (const [shape, names] of Object.entries(ASSIGNED)) {
  ASSIGNED_RULES.push([new RegExp(names, 'i'), new RegExp(`^(?:${shape})$`, 'i')]);
}
const CURL = /\bcurl\b/;

interface NamedValues {
  /** What stands before a value (it stays), and the value. */
  readonly pattern: RegExp;
  /** Whether a value is secret, by what stands before it, and by the text up to there. */
  readonly isSecret: (value: string, before: string, text: string) => boolean;
  /** Only in texts with this. */
  readonly within?: RegExp;
}

const BY_NAME: readonly NamedValues[] = [
  { pattern: NAMED_SECRET, isSecret: () => true },
  // `DATADOG_API_KEY=…`, `export DB_PASSWORD: …`, `?access_token=…`: nobody writes such a value by hand.
  {
    pattern: new RegExp(
      `(?<![A-Za-z0-9_])([A-Z][A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)\\s?[=:]\\s?["']?)([^\\s"'\\\\&;,<>]{12,${LONG}})`,
      'g',
    ),
    isSecret: isUnwritten,
  },
  {
    pattern: new RegExp(
      `(?<![A-Za-z0-9])((?:${SECRET_NAMES})\\s?[=:]\\s?["']?)([\\w.~+=-]{16,${LONG}})(?![\\w/])`,
      'gi',
    ),
    isSecret: isUnwritten,
  },
  {
    pattern: new RegExp(
      `((?:${Object.values(ASSIGNED).join('|')})[ \\t\\w.-]{0,20}[\\s"'\\\\]{0,3}(?:=>?|>|:{1,3}=?|\\|\\||\\?=|,)[\\s"'\`=\\\\]{0,5})([\\w=./+:%-]{13,200})`,
      'gi',
    ),
    isSecret: (value, before) =>
      isRandom(value) && ASSIGNED_RULES.some(([names, shape]) => shape.test(value) && names.test(before)),
  },
  {
    pattern: /(\s-(?:u|-user)[\s=]{1,5}["'\\]{0,2}[^\s"':]{1,99}:)([^\s"'\\]{3,999})/g,
    within: CURL,
    isSecret: (value, _, text) =>
      CURL.test(
        text
          .slice(-400)
          .split(/[\n;|]/)
          .at(-1) as string,
      ) && !/^(?:change(?:it|me)|pass(?:word)?|pwd|test|token|[*x]+|[$<{[].*)$/i.test(value),
  },
  {
    pattern: new RegExp(
      `(\\s-(?:H|-header)[\\s=]{0,5}["'\\\\]{1,3}(?:authorization:\\s{0,5}(?:(?:basic|bearer|(?:api-)?token)\\s)?|(?:x-(?:[a-z]{1,20}-)?)?(?:api-?)?(?:key|token):\\s{0,5}))([\\w=~@.+/-]{8,${LONG}})`,
      'gi',
    ),
    within: CURL,
    isSecret: () => true,
  },
  // The data of a Secret of Kubernetes.
  {
    pattern: /(^[ \t]{1,99}[\w.-]{1,253}:[ \t]{1,9}["']?)([A-Za-z0-9+/]{10,99999}={0,2})(?=["']?\s{0,9}$)/gm,
    within: /\bkind:\s{0,9}["']?secret\b/i,
    isSecret: isUnwritten,
  },
];

/** The user information of a URL. */
const URL_CREDENTIALS = /(?<=:\/\/)[^\s/@:<>]{1,128}:[^\s/@<>]{1,256}(?=@)/g;

/** A character before the @ of an address. */
const LOCAL = /^[\p{L}\p{N}_.+-]$/u;
/** The part after it, as in RFC 1035. The bounds keep a text of dots and letters linear. */
const HOST = /(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63}/uy;
/** Characters up to this one belong to the host. */
const HOST_END = /[^\p{L}\p{N}-]|$/gu;

const CARD_RUN = /(?<![\w.-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{5})(?![\w-])/g;
/** Visa, Mastercard, American Express, Discover, JCB. Other digits that pass the check are ids. */
const ISSUED = /^(?:4|5[1-5]|2[2-7]|3[47]|6011|65|35)/;

/** International, or grouped as in North America. Bare digits are ids, amounts and times. */
const PHONE = /\+\d(?:[ .()-]{0,2}\d){7,14}(?!\w)|(?:\(\d{3}\) ?|(?<![\w.+-])\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])/g;

/** Our own replacements, which a user's pattern must not match. */
export const MASK = /(<(?:secret|(?:pattern|email|card|phone):[0-9a-f]{4})>)/;

/**
 * Replaces what is sensitive in a text, as it is and as readers see it. Doing it twice changes nothing more.
 * Linear in the text.
 * @param patterns of the user
 */
export function redactText(
  text: string,
  kinds: readonly RedactedKind[],
  onFound: (kind: RedactedKind) => void,
  patterns: readonly LinearPattern[] = [],
): string {
  const secret = () => {
    onFound('secret');
    return SECRET;
  };
  const pseudonym = (kind: RedactedKind, value: string) => {
    onFound(kind);
    return `<${kind}:${fingerprint(value)}>`;
  };
  const redact: Record<RedactedKind, (text: string) => string> = {
    secret: (text) =>
      BY_NAME.reduce(
        (rest, { pattern, isSecret, within }) =>
          within?.test(rest) === false
            ? rest
            : rest.replace(pattern, (all, before: string, value: string, at: number) =>
                isSecret(value, before, rest.slice(0, at)) ? before + secret() : all,
              ),
        text,
      )
        .replace(KEY, secret)
        .replace(LIKELY_KEY, (run) => (/\d/.test(run) ? secret() : run))
        .replace(URL_CREDENTIALS, secret),
    pattern: (text) => {
      if (patterns.length === 0) return text;
      const masked = (part: string) =>
        patterns.reduce(
          (rest, pattern) => pattern.replace(rest, (match) => (match === '' ? '' : pseudonym('pattern', match))),
          part,
        );
      return text
        .split(MASK)
        .map((part, index) => (index % 2 === 1 ? part : masked(part)))
        .join('');
    },
    email: (text) => replaceEmails(text, (address) => pseudonym('email', address.toLowerCase())),
    card: (text) => text.replace(CARD_RUN, (run) => (isCard(digitsOf(run)) ? pseudonym('card', digitsOf(run)) : run)),
    phone: (text) => text.replace(PHONE, (run) => pseudonym('phone', digitsOf(run))),
  };
  return asSeen((each) => kinds.reduce((result, kind) => redact[kind](result), each))(text);
}

/** Finds addresses by their @, so the rest of the text is not examined. */
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
 * So short that many values share it and none can be derived from it, and long enough that two values of one conversation
 * rarely do, so that the comparison sees another e-mail address.
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

/** Keys that are recognised by shape alone. */
export function keysIn(text: string): string[] {
  const likely = (text.match(LIKELY_KEY) ?? []).filter((run) => /\d/.test(run));
  return [...(text.match(KEY) ?? []), ...likely];
}
