import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { AgentReplayError, type ErrorCode, type SourceLocation } from '../errors.ts';
import {
  isJsonObject,
  isRawNumber,
  type Json,
  JsonError,
  parseJson,
  pointerPart,
  pointerParts,
  present,
} from '../json/index.ts';
import { mistakesIn, PLAINLY } from '../mistakes.ts';
import { HUGE_TEXT, withoutHugeTexts } from '../trace/index.ts';
import { FoldError, unfolded } from './fold.ts';
import { FOLDED_VERSION, PIN_VERSION, type Session, session } from './schema.ts';

/** The first mistakes usually cause the rest. */
const MAX_PROBLEMS_PER_FILE = 10;

/** A syntax tree takes some 50 times its text. In longer files a mistake is located only by its pointer. */
const MAX_LOCATABLE_CHARS = 8 * 1024 ** 2;

const ANEW = 'Pin the session again, or delete the file.';
const REPAIR = 'Correct the file, or record it again: `agent-replay pin`.';

/** A position in a text, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

type ParsedPin =
  | { readonly session: Session; readonly locate: (pointer: string) => Position | undefined }
  | { readonly problems: AgentReplayError[] };

/** Each mistake becomes a problem with its place in `file`; nothing is thrown. */
export function parsePin(source: string, file: string): ParsedPin {
  const text = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source;
  const locate = (pointer: string): Position | undefined => positionOf(text, pointerParts(pointer));
  const at = (pointer: string) => ({ ...locate(pointer), pointer });
  const problem = (code: ErrorCode, message: string, location: Omit<SourceLocation, 'file'>, hint: string) => ({
    problems: [new AgentReplayError(code, `${file} ${message}`, { location: { file, ...location }, hint })],
  });

  if (text.trim() === '') {
    return problem('PIN_EMPTY', 'is empty.', { line: 1, column: 1, pointer: '' }, ANEW);
  }
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { offset, reason } = syntaxMistake(text, error);
    return problem('PIN_INVALID', `is not valid JSON: ${reason}.`, positionAt(text, offset), REPAIR);
  }
  if (isJsonObject(value) && typeof value.version === 'number' && value.version > FOLDED_VERSION) {
    return problem(
      'PIN_NEWER_VERSION',
      `was made by a newer version of agent-replay (format ${value.version}, this one reads ${FOLDED_VERSION}).`,
      at('/version'),
      'Update agent-replay. The file has not been touched.',
    );
  }
  const twice = duplicateKey(text, value);
  if (twice !== undefined) {
    return problem('PIN_INVALID', `has the key ${twice.pointer} twice.`, twice, 'Keep one of the two.');
  }
  if (isJsonObject(value) && Array.isArray(value.turns) && value.turns.length === 0) {
    return problem('PIN_EMPTY', 'holds no turn.', at('/turns'), ANEW);
  }
  try {
    if (isJsonObject(value) && value.version === FOLDED_VERSION) value = { ...unfolded(value), version: PIN_VERSION };
  } catch (error) {
    if (!(error instanceof FoldError)) throw error;
    const { message, pointer } = error;
    return problem('PIN_INVALID', `is not a valid pin: ${pointer} ${message}.`, at(pointer), REPAIR);
  }
  const parsed = session.safeParse(value, PLAINLY);
  if (parsed.success) return { session: text.length > HUGE_TEXT ? asReplayed(parsed.data) : parsed.data, locate };
  return { problems: problemsOf(mistakesIn(parsed.error), text, file) };
}

/** Replays are read without huge texts, so both sides are alike. What is sent stays whole. */
function asReplayed(read: Session): Session {
  const turns = read.turns.map(({ request, ...turn }) => ({ ...present({ request }), ...withoutHugeTexts(turn) }));
  return { ...read, turns };
}

function problemsOf(mistakes: ReturnType<typeof mistakesIn>, text: string, file: string): AgentReplayError[] {
  const tree = treeOf(text);
  const problems = mistakes.slice(0, MAX_PROBLEMS_PER_FILE).map(({ path, message }) => {
    const at = path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    const pointer = at.map(pointerPart).join('');
    const node = tree && nearestNode(tree, at);
    const place = pointer === '' ? '' : ` at ${pointer}`;
    return new AgentReplayError('PIN_INVALID', `${file} is not a valid pin${place}: ${message}.`, {
      location: { file, ...(node && positionAt(text, node.offset)), pointer },
      hint: REPAIR,
    });
  });
  if (mistakes.length > MAX_PROBLEMS_PER_FILE) {
    const more = `${file} has ${mistakes.length - MAX_PROBLEMS_PER_FILE} more mistakes.`;
    problems.push(new AgentReplayError('PIN_INVALID', more, { location: { file } }));
  }
  return problems;
}

/** `JSON.parse` does not always say where the mistake is, so another parser finds the place. */
function syntaxMistake(text: string, error: JsonError): { offset: number; reason: string } {
  if (error.message.startsWith('nested')) return { offset: error.offset ?? 0, reason: error.message };
  const errors: ParseError[] = [];
  treeOf(text, errors);
  const first = errors[0];
  if (first === undefined) return { offset: error.offset ?? text.length, reason: 'syntax error' };
  const words = printParseErrorCode(first.error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return {
    offset: first.offset,
    reason: first.offset >= text.trimEnd().length ? `${words}, the text is cut off` : words,
  };
}

const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const;

function treeOf(text: string, errors: ParseError[] = []): Node | undefined {
  if (text.length > MAX_LOCATABLE_CHARS) return undefined;
  try {
    return parseTree(text, errors, STRICT);
  } catch (error) {
    // That parser is recursive, and the depth of a broken text is unknown before parsing.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function positionOf(text: string, path: readonly string[]): Position | undefined {
  const tree = treeOf(text);
  const node = tree && nodeAt(tree, path);
  return node && positionAt(text, node.offset);
}

/** The node at a path; for a missing one, its nearest parent. */
function nearestNode(tree: Node, path: readonly (string | number)[]): Node {
  for (let length = path.length; length > 0; length--) {
    const node = nodeAt(tree, path.slice(0, length));
    if (node !== undefined) return node;
  }
  return tree;
}

/** A property is located at its key, where a reader would point. */
function nodeAt(tree: Node, path: readonly (string | number)[]): Node | undefined {
  let node: Node | undefined = tree;
  for (const part of path) {
    node = node && findNodeAtLocation(node, [node.type === 'array' ? Number(part) : String(part)]);
  }
  return node?.parent?.type === 'property' ? node.parent : node;
}

function positionAt(text: string, offset: number): Position {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) {
    line++;
    lineStart = end + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

/** `JSON.parse` silently keeps the last of two equal keys. The tree is only built if the counts show that there are any. */
function duplicateKey(text: string, value: Json): (Partial<Position> & { pointer: string }) | undefined {
  if (countKeysInText(text) === countKeys(value)) return undefined;
  const tree = treeOf(text);
  const found = tree && findDuplicate(tree, '');
  return found === undefined ? { pointer: '' } : { ...positionAt(text, found.offset), pointer: found.pointer };
}

function findDuplicate(node: Node, pointer: string): { offset: number; pointer: string } | undefined {
  const seen = new Set<string>();
  for (const [index, child] of (node.children ?? []).entries()) {
    const isProperty = child.type === 'property';
    const key = isProperty ? String(child.children?.[0]?.value) : index;
    const here = pointer + pointerPart(key);
    if (isProperty && seen.has(String(key))) return { offset: child.offset, pointer: here };
    seen.add(String(key));
    const value = isProperty ? child.children?.[1] : child;
    const deeper = value && findDuplicate(value, here);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/** Outside strings a colon follows a key and nothing else. */
function countKeysInText(text: string): number {
  let keys = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) inString = !inString;
    else if (code === 0x5c) i++;
    else if (code === 0x3a && !inString) keys++;
  }
  return keys;
}

function countKeys(value: Json): number {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return 0;
  const children = Object.values(value);
  return children.reduce<number>((sum, child) => sum + countKeys(child), Array.isArray(value) ? 0 : children.length);
}
