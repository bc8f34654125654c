import { hash } from 'node:crypto';
import type { ReadStep } from '../compare/index.ts';
import { byCodeUnit, canonical, isJsonObject, type Json, keysInOrder, plain, pointerPart } from '../json/index.ts';
import { wordsOf } from './word-pairs.ts';

/**
 * One run of a turn, or of a whole session, as the tests see it: its calls, answers and failures, without tool results and
 * texts on the way.
 */
export interface ShiftRun {
  /** In the order of the comparison. */
  readonly calls: readonly CallMade[];
  /** One per turn; none for a turn without an answer. */
  readonly answers: readonly Answer[];
  /** `error of TOOL`, `error`, `ended: REASON`; each once, sorted by code units. */
  readonly failures: readonly string[];
}

export interface CallMade {
  readonly tool: string;
  /** What its arguments say, sorted: {@link argumentTokens}. */
  readonly tokens: readonly string[];
}

/** A text by its words, or a structured answer by its leaves, in order. */
export type Answer = { readonly words: readonly string[] } | { readonly leaves: readonly Leaf[] };

export interface Leaf {
  /** JSON pointer. */
  readonly pointer: string;
  /** Canonical JSON. */
  readonly value: string;
  /** Of a field that holds prose. */
  readonly words?: readonly string[];
}

/** A text is one leaf, unlike any of a structured answer. */
export function leavesIn(answer: Answer): readonly Leaf[] {
  return 'words' in answer ? [{ pointer: '', value: '', words: answer.words }] : answer.leaves;
}

/** A field of this many words is prose, and other words are not another value. */
const PROSE_WORDS = 5;
/** Only this many parts of long arguments and answers are read. */
const MAX_PARTS = 20_000;

/** Without the steps that the strictness ignores. */
export function shiftRun(steps: readonly ReadStep[]): ShiftRun {
  const compared = steps.filter(({ isCompared }) => isCompared);
  const calls = compared.filter(({ kind }) => kind === 'call');
  const finals = compared.filter(({ kind }) => kind === 'final');
  const failures = compared.flatMap((step) => failureOf(step) ?? []);
  return {
    calls: calls.map(({ name = '', value }) => ({ tool: name, tokens: argumentTokens(value) })),
    answers: finals.map(({ value }) => answerOf(value)),
    failures: [...new Set(failures)].sort(),
  };
}

/** What failed, or how the run ended; undefined for any other step. */
function failureOf({ kind, name, value }: ReadStep): string | undefined {
  if (kind === 'end') return `ended: ${typeof value === 'string' ? value : canonical(value)}`;
  if (kind !== 'error') return undefined;
  return name === undefined ? 'error' : `error of ${name}`;
}

/**
 * What arguments say, as a countable set: `/city\0"Paris"`; for a text with blanks each of its words (`/query\0cheap`).
 * List indexes become `*`, and the second of two equal tokens is numbered (`...\0"Paris"\x002`).
 */
function argumentTokens(value: Json | undefined): string[] {
  const counts = new Map<string, number>();
  const tokens: string[] = [];
  for (const { pointer, value: leaf } of leavesOf(value, '*')) {
    for (const text of textsOf(leaf)) {
      const token = `${pointer}\0${text}`;
      const count = (counts.get(token) ?? 0) + 1;
      counts.set(token, count);
      tokens.push(count === 1 ? token : `${token}\0${count}`);
    }
  }
  return tokens.sort();
}

const BLANK = /\s/;
/** A longer literal is shown by its start, and identified by its digest. */
const MAX_LITERAL = 200;

function textsOf(leaf: Json): string[] {
  if (typeof leaf === 'string' && BLANK.test(leaf.trim())) return wordsOf(leaf);
  return [literal(leaf)];
}

function literal(leaf: Json): string {
  const text = canonical(leaf);
  if (text.length <= MAX_LITERAL) return text;
  return `${text.slice(0, MAX_LITERAL).toWellFormed()}… ${hash('sha256', text, 'base64url')}`;
}

function answerOf(value: Json | undefined): Answer {
  if (typeof value === 'string') return { words: wordsOf(value) };
  const leaves = leavesOf(value ?? null).map(({ pointer, value: leaf }): Leaf => {
    const words = typeof leaf === 'string' ? wordsOf(leaf) : [];
    return { pointer, value: canonical(leaf), ...(words.length < PROSE_WORDS ? {} : { words }) };
  });
  return { leaves: leaves.sort((a, b) => byCodeUnit(a.pointer, b.pointer)) };
}

/** @param index replaces list indexes; if omitted they stay */
function leavesOf(value: Json | undefined, index?: '*'): { pointer: string; value: Json }[] {
  const found: { pointer: string; value: Json }[] = [];
  const visit = (of: Json, pointer: string): void => {
    if (found.length >= MAX_PARTS) return;
    const items: [string | number, Json][] = Array.isArray(of)
      ? of.map((item, at): [string | number, Json] => [index ?? at, item])
      : isJsonObject(of)
        ? keysInOrder(of).map((key): [string, Json] => [plain(key), of[key] as Json])
        : [];
    for (const [key, item] of items) visit(item, pointer + pointerPart(key));
    if (items.length === 0) found.push({ pointer, value: of });
  };
  if (value !== undefined) visit(value, '');
  return found;
}
