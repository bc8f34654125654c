/**
 * Lists every text that a user can see, with its place, to be read from top to bottom: `npm run strings`. A template
 * shows its values as `{…}`. Leaves out texts of one word, because most of them are keys. Reads the Python half with
 * Python's own parser.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const ROOT = path.join(import.meta.dirname, '..');
/** `scripts/action.ts` describes the inputs and outputs of the action. */
const SOURCES = ['src/**/*.{ts,tsx}', 'plugin/*.ts', 'action/*.ts', 'scripts/action.ts'];
const FILES = globSync(SOURCES, { cwd: ROOT }).sort();
const PYTHON_FILES = globSync('python/src/**/*.py', { cwd: ROOT }).sort();

/** Syntax nodes whose texts no user sees. */
const UNSEEN = new Set(['ImportDeclaration', 'TSLiteralType', 'TSTemplateLiteralType']);
const IS_PROSE = /\p{L}{2,} +\p{L}|\p{L} \{…\}|\{…\} \p{L}/u;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

function* textsIn(node: Node): Generator<{ readonly at: number; readonly text: string }> {
  if (UNSEEN.has(node.type)) return;
  if (node.type === 'Literal' && typeof node.value === 'string') yield { at: node.start, text: node.value };
  if (node.type === 'JSXText') yield { at: node.start, text: String(node.value) };
  if (node.type === 'TemplateLiteral') {
    const quasis = node.quasis as { readonly value: { readonly cooked: string } }[];
    yield { at: node.start, text: quasis.map(({ value }) => value.cooked).join('{…}') };
  }
  for (const child of Object.values(node).flat()) {
    if (typeof child === 'object' && child !== null && 'type' in child) yield* textsIn(child as Node);
  }
}

function print(place: string, text: string): void {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (IS_PROSE.test(line)) console.log(`${place}  ${line}`);
}

for (const file of FILES) {
  const source = readFileSync(path.join(ROOT, file), 'utf8');
  const program = parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;
  for (const { at, text } of textsIn(program)) {
    print(`${file}:${source.slice(0, at).split('\n').length}`, text);
  }
}

const texts = execFileSync('python3', ['scripts/strings.py', ...PYTHON_FILES], { cwd: ROOT, encoding: 'utf8' });
for (const [place = '', text = ''] of texts.split('\n').map((line) => line.split('\t'))) print(place, text);
