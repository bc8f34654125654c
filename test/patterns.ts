import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const ROOT = path.join(import.meta.dirname, '..');
const SOURCES = '{src,plugin,action,web}/**/*.{ts,tsx}';

/** One of our regular expressions, and its place. */
export interface OwnPattern {
  readonly pattern: RegExp;
  readonly at: string;
}

/**
 * Finds every regular expression in the sources, so that none can be forgotten: literals, and those that modules build
 * while they load. `perCall` lists those that are built later, from the text of a call.
 */
export async function ownPatterns(): Promise<{ patterns: OwnPattern[]; perCall: string[] }> {
  const found = new Map<string, OwnPattern>();
  const note = ({ source, flags }: RegExp, at: string) =>
    found.set(`/${source}/${flags}`, { pattern: new RegExp(source, global(flags)), at });
  const [perCall, composing]: [string[], string[]] = [[], []];
  for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) {
    const code = readFileSync(path.join(ROOT, file), 'utf8');
    walk(parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }).body, false, (node, isInFunction) => {
      if (node.regex !== undefined)
        note(new RegExp(node.regex.pattern, node.regex.flags), `${file}:${lineOf(code, node)}`);
      if (node.callee?.name !== 'RegExp') return;
      if (isInFunction) perCall.push(`${file} ${code.slice(node.start, node.end)}`);
      else composing.push(file);
    });
  }
  for (const file of new Set(composing)) {
    for (const made of await madeByLoading(path.join(ROOT, file))) note(made, file);
  }
  return { patterns: [...found.values()], perCall };
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
}

function walk(node: unknown, isInFunction: boolean, visit: (node: Node, isInFunction: boolean) => void): void {
  if (Array.isArray(node)) for (const each of node) walk(each, isInFunction, visit);
  else if (typeof node === 'object' && node !== null) {
    visit(node as Node, isInFunction);
    const isInside = isInFunction || /Function/.test((node as Node).type ?? '');
    for (const child of Object.values(node)) walk(child, isInside, visit);
  }
}

function lineOf(code: string, { start }: Node): number {
  return code.slice(0, start).split('\n').length;
}

/** Adds the flag that finds all matches. */
function global(flags: string): string {
  return /[gy]/.test(flags) ? flags : `${flags}g`;
}

async function madeByLoading(file: string): Promise<RegExp[]> {
  const made: RegExp[] = [];
  const real = globalThis.RegExp;
  globalThis.RegExp = new Proxy(real, {
    construct: (target, [source, flags]: [string, string?]) => {
      const pattern = new target(source, flags);
      made.push(pattern);
      return pattern;
    },
  });
  try {
    // The query makes Node load the module anew.
    await import(/* @vite-ignore */ `${file}?patterns`);
  } finally {
    globalThis.RegExp = real;
  }
  return made;
}

/** A text of about `size` characters that may take a pattern long: a beginning, the same piece again and again, an end. */
export interface BadString {
  readonly name: string;
  readonly make: (size: number) => string;
}

const PIECES = [
  ...'aAz019 \t\n\r-._@:;,"\'\\/<>[]{}()=#|`*+%$&?!~^\u001b\u0300é中😀\u2028',
  ...[
    '1.',
    '1,',
    '1:',
    'a.',
    'a-',
    'a ',
    'A ',
    'a b ',
    'ab12',
    'Aa',
    'A1 ',
    'a\n',
    ' \n',
    '\\"',
    '"\\',
    'a@b.',
    '{"a":',
    '<a ',
  ],
];
const ENDS = ['', '\0', 'x', '\n'];
/** Enough to bring a pattern to its inner parts. */
const MOST_WORDS = 4;

/** Builds texts from pieces that patterns commonly hold, and from the words and signs of this one. */
export function badStringsFor({ source }: RegExp): BadString[] {
  const signs = [...new Set(source.replace(/[\w\s]/g, ''))].slice(0, 2 * MOST_WORDS);
  const words = [...new Set(wordsIn(source))].slice(0, MOST_WORDS);
  const own = [
    ...words.flatMap((word) => ['', ' ', '1'].map((behind) => word + behind)),
    ...signs.slice(0, MOST_WORDS).flatMap((sign) => ['a', '1', ...signs].map((behind) => sign + behind)),
  ];
  const framed = (beginnings: readonly string[], pieces: readonly string[], ends: readonly string[]) =>
    beginnings.flatMap((start) => pieces.flatMap((piece) => ends.map((end) => badString(start, piece, end))));
  return [...framed([''], [...PIECES, ...own], [...ENDS, ...signs]), ...framed(words, PIECES, ['\0', 'x'])];
}

function badString(start: string, piece: string, end: string): BadString {
  const make = (size: number) => start + piece.repeat(Math.ceil(size / piece.length)) + end;
  return { name: JSON.stringify([start, piece, end]), make };
}

/**
 * Whether the engine may have to remember something of each character, for groups, counts, and classes beyond 16 bits.
 */
export function mayFillStack({ source, flags }: RegExp): boolean {
  if (/\{([4-9]|\d\d+),\}|\)[*+]|\)\{\d+,\}/.test(source)) return true;
  return /[uv]/.test(flags) && /(\\p\{\w+\}|\]|\\[SWDP]|\.|\\P\{\w+\})([*+]|\{\d*,\})/.test(source);
}

const KINDS = ['a', 'A', '1', ' ', '中', 'é', '😀', 'Aa', 'a ', '-', '"', '\\"', '.', '/a', '\n', 'a.', '1,', 'ab12'];

/** Texts with a beginning that the pattern matches, and then one piece repeated for very long. */
export function longTexts(pattern: RegExp): BadString[] {
  const words = [...new Set(wordsIn(pattern.source))].slice(0, MOST_WORDS);
  return ['', ...words].flatMap((word) => KINDS.flatMap((kind) => ['', '\0'].map((end) => badString(word, kind, end))));
}

/** The literal words of a pattern. */
function wordsIn(source: string): string[] {
  return source
    .replace(/\\[pP]\{[^}]*\}|\\[bBdDwWsS]|\{\d*,?\d*\}|\[[^\]]*\]|\(\?<?[=!:]/g, '|')
    .replace(/\\u([0-9a-f]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\(.)/g, '$1')
    .split(/[|()[\]?*+^$]/)
    .filter((word) => word !== '' && word.length <= 30);
}

const [SMALL, LARGE] = [2 ** 8, 2 ** 13];
/** Linear work takes 32 times as long at the larger size, quadratic work 1,024 times. */
const SUSPICIOUS = 128;
/** At the larger size quadratic work takes longer than this, so anything faster is not measured again. */
const QUICK_MS = 0.5;
/** The best of so many measurements counts, because other work of the machine only adds. */
const LOOKS = 6;

/**
 * Finds the text for which a pattern takes longest, among those for which its time seems to grow faster than linear.
 * @param options.isSuspicious judges the least times at two sizes
 */
export function slowestText(
  pattern: RegExp,
  { isSuspicious = (small: number, large: number) => large > QUICK_MS && large > SUSPICIOUS * small } = {},
): BadString | undefined {
  let slowest: { bad: BadString; time: number } | undefined;
  for (const bad of badStringsFor(pattern)) {
    const time = suspiciousTime(pattern, bad, isSuspicious);
    if (time > (slowest?.time ?? 0)) slowest = { bad, time };
  }
  return slowest?.bad;
}

function suspiciousTime(
  pattern: RegExp,
  { make }: BadString,
  isSuspicious: (small: number, large: number) => boolean,
): number {
  const [small, large] = [make(SMALL), make(LARGE)];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let look = 0; look < LOOKS; look++) {
    least = Math.min(least, timeOf(pattern, small));
    most = Math.min(most, timeOf(pattern, large));
    if (!isSuspicious(least, most)) return 0;
  }
  return most;
}

/** Finds every match and keeps none, because millions of matches would cost garbage collection. */
export function matchAll(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0;
  for (let last = -1; pattern.test(text); last = pattern.lastIndex) {
    // An empty match stays where it is.
    if (pattern.lastIndex === last) pattern.lastIndex++;
  }
}

function timeOf(pattern: RegExp, text: string): number {
  const start = performance.now();
  text.replace(pattern, '');
  return performance.now() - start;
}
