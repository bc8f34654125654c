import { isJsonObject, type Json } from '../../json/index.ts';
import type { Step } from '../shapes/step.ts';
import { statementIn } from './effects.ts';

/** Fields whose items are people, in no order. */
const ADDRESSEES = /^(?:to|cc|bcc|recipients|attendees|participants|invitees|guests)$/i;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** Fields of a tool's answer that are made anew each time. */
const MADE_ANEW = /^etag$/i;

/**
 * A call or a result in one spelling, for its digest alone: what is shown stays as it was. Addressees have no order, the
 * host of a mail address no case, a statement of a shell or of SQL no layout. A tool's tag of a version is made anew each time; what a
 * model writes is not.
 */
export function inOneSpelling({ kind, name, value }: Step, shown = value): Json | undefined {
  if (kind === 'result') return shown === undefined ? undefined : withFields(shown, withoutTag);
  if (kind !== 'call' || !isJsonObject(shown)) return shown;
  const statement = statementIn(name ?? '', shown);
  return withFields(shown, (field, each) => {
    if (statement !== undefined && each === statement.text) return laidOut(statement);
    const isListed = ADDRESSEES.test(field) && Array.isArray(each) && each.every((one) => typeof one === 'string');
    if (isListed) return (each as string[]).map(addressed).sort();
    return ADDRESSEES.test(field) && typeof each === 'string' ? addressed(each) : each;
  });
}

function withoutTag(field: string, each: Json): Json {
  return MADE_ANEW.test(field) && typeof each === 'string' ? '' : each;
}

/** Of the value and of the objects that are its fields, such as headers. */
function withFields(value: Json, of: (field: string, value: Json) => Json, depth = 0): Json {
  if (!isJsonObject(value) || depth > 1) return value;
  const entries = Object.entries(value).map(([field, each]): [string, Json, Json] => {
    return [field, each, withFields(of(field, each), of, depth + 1)];
  });
  if (entries.every(([, before, after]) => before === after)) return value;
  return Object.fromEntries(entries.map(([field, , after]) => [field, after]));
}

function addressed(text: string): string {
  if (!EMAIL.test(text)) return text;
  const at = text.indexOf('@');
  return text.slice(0, at) + text.slice(at).toLowerCase();
}

/** One that never closes goes to the end: so no start is tried in vain, and the search is linear. */
const QUOTED = /('(?:[^'\\]|\\.)*\\?(?:'|$)|"(?:[^"\\]|\\.)*\\?(?:"|$)|`[^`]*(?:`|$))/s;
/** A longer text is compared as it stands: the engine keeps a way back for each character within quotes. */
const MAX_LAID_OUT = 2 ** 16;
/** In these, blanks or the ends of lines mean something. */
const WITH_LAYOUT = /<<|--|#|\/\*|\\\n/;

/** Without layout outside of quotes. SQL has no case there; in a shell both quotes are alike around plain text. */
function laidOut({ language, text }: { readonly language: 'shell' | 'sql'; readonly text: string }): string {
  if (text.length > MAX_LAID_OUT || WITH_LAYOUT.test(text)) return text.trimEnd();
  const isSql = language === 'sql';
  const parts = text.split(QUOTED).map((part, index) => {
    if (index % 2 === 1) return isSql ? part : part.replace(/^'([^'"$`\\!]*)'$/, '"$1"');
    return isSql ? part.replace(/\s+/g, ' ').toLowerCase() : part.replace(/[ \t]+/g, ' ');
  });
  const whole = parts.join('').trim();
  return whole.endsWith(';') ? whole.slice(0, -1).trimEnd() : whole;
}
