import type { z } from 'zod';
import { cut } from './text/index.ts';

type Issue = z.core.$ZodIssue;
/** What zod hands to an error map. */
type RawIssue = z.core.$ZodRawIssue;

/** What is wrong with the value at a path. */
interface Mistake {
  readonly path: readonly PropertyKey[];
  /** `expected a whole number, found "5s"` */
  readonly message: string;
}

/**
 * Passed to zod with input that somebody wrote by hand or sent, so that mistakes are worded plainly. A message of the
 * schema that begins with "expected" also gets what was found.
 */
export const PLAINLY: z.core.ParseContext<Issue> = { error: expectation, reportInput: true };

/** The mistakes found by a parse with `PLAINLY`. */
export function mistakesIn({ issues }: z.ZodError): Mistake[] {
  return issues.flatMap((issue) => [...mistakesOf(issue, [])]);
}

/**
 * One line per mistake: `timeouts.call: expected a whole number, found "5s"`.
 * @param whole the name of the value that contains all others
 */
export function mistakeLines(error: z.ZodError, whole: string): string[] {
  return mistakesIn(error).map(({ path, message }) => `${path.map(String).join('.') || whole}: ${message}`);
}

function* mistakesOf(issue: Issue, above: readonly PropertyKey[]): Generator<Mistake> {
  const path = [...above, ...issue.path];
  const inside = issuesInside(issue);
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) yield { path: [...path, key], message: noSuchKey(key, issue.message.split(' ')) };
  } else if (inside !== undefined) {
    for (const each of inside) yield* mistakesOf(each, path);
  } else {
    const found = issue.message.startsWith('expected ') ? `, found ${inWords(issue.input, path)}` : '';
    yield { path, message: `${issue.message}${found}` };
  }
}

function issuesInside(issue: Issue): readonly Issue[] | undefined {
  if (issue.code === 'invalid_key') return issue.issues;
  return issue.code === 'invalid_union' ? meantBranch(issue.errors) : undefined;
}

/**
 * Of a value with several forms, the form that the user had begun: its mistake lies deeper, or is a wrong value and not a
 * wrong type.
 */
function meantBranch(branches: readonly Issue[][]): Issue[] | undefined {
  const isInside = ({ path, code }: Issue) => path.length > 0 || code === 'unrecognized_keys';
  const begun = branches.filter((issues) => issues.every(isInside));
  const ofType = branches.filter((issues) => issues.every(({ code }) => code !== 'invalid_type'));
  return [begun, ofType].find(({ length }) => length === 1)?.[0];
}

/** Names the nearest key that exists, unless most of it would have to be written anew. */
function noSuchKey(key: string, known: readonly string[]): string {
  const [[edits, nearest] = [key.length]] = known
    .map((each): [edits: number, name?: string] => [editsBetween(key.toLowerCase(), each.toLowerCase()), each])
    .sort(([a], [b]) => a - b);
  return edits * 2 <= key.length ? `there is no such key; the nearest is ${nearest}` : 'there is no such key';
}

/** Letters to add, to drop or to replace. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const letter of a) {
    const next = [row[0]! + 1];
    for (const [at, other] of [...b].entries()) {
      next.push(Math.min(next[at]! + 1, row[at + 1]! + 1, row[at]! + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1)!;
}

function expectation(issue: RawIssue): string | undefined {
  // Only here zod hands out the schema: the message carries the keys that exist to the sentence about those that do not.
  if (issue.code === 'unrecognized_keys') return Object.keys(Object(issue.inst?._zod.def).shape ?? {}).join(' ');
  const what = wanted(issue);
  return what === undefined ? undefined : `expected ${what}`;
}

function wanted(issue: RawIssue): string | undefined {
  if (issue.code === 'invalid_type') return KINDS[issue.expected] ?? `a ${issue.expected}`;
  if (issue.code === 'invalid_value') return oneOf(issue.values);
  if (issue.code === 'invalid_format') return formatted(issue);
  if (issue.code === 'too_small') return atLeast(issue.origin, Number(issue.minimum), issue.inclusive);
  if (issue.code === 'too_big') return atMost(issue.origin, Number(issue.maximum), issue.inclusive);
  if (issue.code !== 'invalid_union') return undefined;
  const { options } = issue as { readonly options?: readonly unknown[] };
  return options === undefined ? anyOf(issue.errors) : oneOf(options);
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  never: 'nothing',
  undefined: 'nothing',
};

const FORMATS: Readonly<Record<string, string>> = {
  url: 'a URL',
  date: 'a day such as 2026-05-03',
  datetime: 'a time such as 2026-05-03T12:00:00Z',
};

function oneOf(values: readonly unknown[]): string {
  const all = values.map((value) => JSON.stringify(value) ?? String(value));
  return all.length > 1 ? `one of ${all.slice(0, -1).join(', ')} or ${all.at(-1)}` : (all[0] ?? 'nothing');
}

/** What the branches expect of the value itself. What they expect inside it would be too much to read. */
function anyOf(branches: readonly Issue[][]): string | undefined {
  const own = branches.flatMap((issues) => issues.slice(0, 1)).filter(({ path }) => path.length === 0);
  const all = own.map(({ message }) => message).filter((message) => message.startsWith('expected '));
  return all.length === 0 ? undefined : [...new Set(all.map((text) => text.slice('expected '.length)))].join(' or ');
}

function formatted({ format, pattern }: { readonly format: string; readonly pattern?: string }): string {
  if (format === 'regex') return `a text that matches ${pattern}`;
  return FORMATS[format] ?? `a text that is a valid ${format}`;
}

function atLeast(origin: string, least: number, inclusive = true): string {
  if (origin === 'string') return least === 1 ? 'a text that is not empty' : `${least} characters or more`;
  if (origin === 'array') return least === 1 ? 'a list that is not empty' : `${least} items or more`;
  return inclusive ? `${least} or more` : `more than ${least}`;
}

function atMost(origin: string, most: number, inclusive = true): string {
  if (origin === 'string') return `${most} characters or fewer`;
  if (origin === 'array') return `${most} items or fewer`;
  return inclusive ? `${most} or less` : `less than ${most}`;
}

/** Values under these keys are often secret, so only their kind is shown. */
const SECRET_KEYS = /key|secret|token|password|headers|^env$|^values$/i;
const SHOWN_CHARS = 60;

function inWords(value: unknown, path: readonly PropertyKey[]): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'an object';
  if (path.some((key) => SECRET_KEYS.test(String(key)))) return KINDS[typeof value] ?? `a ${typeof value}`;
  if (typeof value === 'string') return JSON.stringify(cut(withoutCredentials(value), SHOWN_CHARS));
  return typeof value === 'function' ? 'a function' : String(value);
}

function withoutCredentials(text: string): string {
  return text.replace(/\/\/[^/@]*@/, '//');
}
