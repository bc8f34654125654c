import { isJsonObject, type Json, spelledOut } from '../../json/index.ts';
import type { Step } from '../shapes/step.ts';
import { statementIn } from './effects.ts';
import { mayClear } from './writing.ts';

/** Fields whose items are people, in no order. */
const ADDRESSEES = /^(?:to|cc|bcc|recipients|attendees|participants|invitees|guests)$/i;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** Fields in which a program tells how long it took. */
const HOW_LONG = /^(?:(?:elapsed|latency|took)[-_]?(?:ms|millis|milliseconds|seconds|time)|took|latency|ms)$/i;
/** Fields whose last line means the same with its end and without. */
const PROGRAM = /^(?:code|command|cmd|query|script|sql)$/i;

/**
 * A call or a result in one spelling, for its digest alone: what is shown stays as it was. An option that is null or empty
 * is absent, unless the tool may clear it; JSON in a text is what it spells. Addressees have no order, the host of a mail address no case, a statement of a
 * shell or of SQL no layout, a path no `./`; an instant and a telephone number have one spelling. How long a tool took is left out.
 */
export function inOneSpelling({ kind, name = '', value }: Step, shown = value): Json | undefined {
  if (kind === 'result') return shown === undefined ? undefined : withFields(shown, withoutDuration);
  if (kind !== 'call' || !isJsonObject(shown)) return shown;
  const statement = statementIn(name, shown);
  return withFields(shown, (field, each) => {
    if (each === null || each === '' || (Array.isArray(each) && each.length === 0))
      return mayClear(name) ? each : undefined;
    if (statement !== undefined && each === statement.text) return laidOut(statement);
    const value = spelledOut(each);
    if (ADDRESSEES.test(field)) return addressees(value);
    if (typeof value !== 'string') return value;
    return PROGRAM.test(field) ? value.trimEnd() : plainly(value);
  });
}

function withoutDuration(field: string, each: Json): Json | undefined {
  return typeof each === 'number' && HOW_LONG.test(field) ? undefined : each;
}

/** Of the value and of the objects that are its fields, such as headers. Undefined: the field is left out. */
function withFields(value: Json, of: (field: string, value: Json) => Json | undefined, depth = 0): Json {
  if (!isJsonObject(value) || depth > 1) return value;
  const entries = Object.entries(value).map(([field, each]): [string, Json, Json | undefined] => {
    const other = of(field, each);
    return [field, each, other && withFields(other, of, depth + 1)];
  });
  if (entries.every(([, before, after]) => before === after)) return value;
  return Object.fromEntries(entries.flatMap(([field, , after]) => (after === undefined ? [] : [[field, after]])));
}

function addressees(value: Json): Json {
  if (typeof value === 'string') return value.split(/[,;]/).map(addressed).sort().join();
  const areTexts = Array.isArray(value) && value.every((each) => typeof each === 'string');
  return areTexts ? (value as string[]).map(addressed).sort() : value;
}

function addressed(written: string): string {
  const text = written.trim();
  if (!EMAIL.test(text)) return plainly(text);
  const at = text.indexOf('@');
  return text.slice(0, at) + text.slice(at).toLowerCase();
}

const INSTANT = /^(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/;

/** An international telephone number. */
const TELEPHONE = /^\+\d(?:[ .\-()]{0,2}\d){6,14}$/;

/** An instant without seconds of zero and, if it has a zone, in UTC; a path without `./`; a telephone number in digits. */
function plainly(text: string): string {
  if (TELEPHONE.test(text)) return text.replace(/[^+\d]/g, '');
  if (!INSTANT.test(text)) return text.replace(/^\.\/(?=[\w-])(?!.*\s)/, '');
  const instant = /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? new Date(text.replace(' ', 'T')) : undefined;
  const isKnown = instant !== undefined && !Number.isNaN(instant.valueOf());
  return (isKnown ? instant.toISOString() : text.replace(' ', 'T'))
    .replace(/(?:\.0+)(?=Z|$)/, '')
    .replace(/(?<=:\d\d):00(?=Z|$)/, '');
}

/** One that never closes goes to the end: so no start is tried in vain, and the search is linear. */
const QUOTED = /('(?:[^'\\]|\\.)*\\?(?:'|$)|"(?:[^"\\]|\\.)*\\?(?:"|$)|`[^`]*(?:`|$))/s;
/** A longer text is compared as it stands: the engine keeps a way back for each character within quotes. */
const MAX_LAID_OUT = 2 ** 16;
/** In these, blanks or the ends of lines mean something. */
const WITH_LAYOUT = { shell: /<<|#|\\\n/, sql: /--|#|\/\*/ };
/** Without layout outside of quotes. SQL has no case there; in a shell both quotes are alike around plain text. */
function laidOut({ language, text }: { readonly language: 'shell' | 'sql'; readonly text: string }): string {
  if (text.length > MAX_LAID_OUT || WITH_LAYOUT[language].test(text)) return text.trimEnd();
  const isSql = language === 'sql';
  const parts = text.split(QUOTED).map((part, index) => {
    if (index % 2 === 1) return isSql ? part : part.replace(/^'([^'"$`\\!]*)'$/, '"$1"');
    if (isSql)
      return part
        .replace(/\s+/g, ' ')
        .replace(/ ?([=<>!,()]) ?/g, '$1')
        .toLowerCase();
    // At the start of a command it names the program.
    return part.replace(/[ \t]+/g, ' ').replace(/(?<=[^\s;&|] |=)\.\/(?=[\w-])/g, '');
  });
  const whole = parts.join('').trim();
  return whole.endsWith(';') ? whole.slice(0, -1).trimEnd() : whole;
}
