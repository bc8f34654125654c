import { isJsonObject, type Json, spelledOut } from '../../json/index.ts';
import { type CompareRules, declaredRules } from '../shapes/rules.ts';
import type { Step } from '../shapes/step.ts';
import { soundOf } from './writing.ts';

/** What a call does: it changes something outside, only looks, or ends the turn with its argument as the answer. */
type Effect = 'write' | 'read' | 'answer';

/** What tool definitions say of tools, by name: true, they only read; false, they write. */
export type Hints = ReadonlyMap<string, boolean>;

/** A call with its arguments. */
export type Called = Pick<Step, 'name' | 'value'>;

/**
 * How a turn's calls are sorted into reads and writes. Declarations decide first, those of a write before those of a read; then annotations; then, for a shell and for SQL, the
 * statement; then the name. A tool of which nothing is known writes: equal calls are equal all the same.
 * @param recorded hints in the recordings
 * @param replayed hints in the replay, which can make a write of a tool and never a read
 */
export function effectsOf(
  { tools }: Pick<CompareRules, 'tools'>,
  recorded: Hints = new Map(),
  replayed: Hints = new Map(),
) {
  const declared = (name: string): Effect | undefined => {
    const { mutating, critical, readOnly } = declaredRules(tools, name) ?? {};
    if (mutating === true || critical === true || readOnly === false) return 'write';
    if (readOnly === true) return 'read';
    if (recorded.get(name) === false || replayed.get(name) === false) return 'write';
    return recorded.get(name) === true ? 'read' : undefined;
  };
  const stated = ({ name = '', value }: Called): Effect | undefined => {
    if (ANSWERS.test(name)) return 'answer';
    const statement = statementIn(name, value);
    if (statement === undefined) return undefined;
    return onlyReads(statement) ? 'read' : 'write';
  };
  return {
    of: (call: Called): Effect =>
      declared(call.name ?? '') ?? stated(call) ?? (soundOf(call.name ?? '') === 'reads' ? 'read' : 'write'),
    /** Whether nothing but the missing of a reading verb makes a write of it. */
    isGuess: (call: Called) => {
      const isKnown = (declared(call.name ?? '') ?? stated(call)) !== undefined;
      return !isKnown && soundOf(call.name ?? '') !== 'reads';
    },
  };
}

/** Tools whose argument is the answer. */
const ANSWERS = /^(?:finish|final_?answer|submit_?(?:final_?)?answer|answer|respond|attempt_?completion)$/i;

const SHELLS = /^(?:.{0,100}[^a-z])?(?:bash|shell|sh|terminal|powershell|cmd|run_?command|execute_?command)$/i;
const DATABASES = /sql|athena|clickhouse|snowflake|bigquery|(?:^|_)database_query$|^(?:run_|execute_)?query$/i;
const SHELL_FIELDS = ['command', 'cmd', 'script', 'input', 'code'];
const SQL_FIELDS = ['sql', 'query', 'statement', 'q', 'input'];

interface Statement {
  readonly language: 'shell' | 'sql';
  readonly text: string;
}

/** What a call of a shell or a database is asked to do. */
export function statementIn(tool: string, value: Json | undefined): Statement | undefined {
  const language = SHELLS.test(tool) ? 'shell' : DATABASES.test(tool) ? 'sql' : undefined;
  if (language === undefined) return undefined;
  if (typeof value === 'string') return { language, text: value };
  if (!isJsonObject(value)) return undefined;
  for (const field of language === 'shell' ? SHELL_FIELDS : SQL_FIELDS) {
    const text = spelledOut(value[field]);
    if (typeof text === 'string') return { language, text };
    if (Array.isArray(text)) return { language, text: text.join(' ') };
  }
  return undefined;
}

const SHELL_READS = new Set(
  `awk base64 basename cat cd column cut date df diff dirname du echo env false file find grep head hexdump hostname id
  jq less ls md5sum more nl od printenv printf ps pwd readlink realpath rg sed sha256sum sort stat strings tail test tr
  tree true type uname uniq wc whereis which whoami xxd`.split(/\s+/),
);
const GIT_READS = new Set('blame diff grep log ls-files ls-tree rev-parse shortlog show status'.split(' '));
/** Options and signs with which a reading command writes. */
const SHELL_WRITES = /\s-(?:delete|exec(?:dir)?|ok(?:dir)?|fprint\w{0,2}|i\b|-in-place)|[`]|\$\(|<\(|>\(/;
const REDIRECTS = /\d?>{1,2}\s?(?!&\d|\/dev\/null)/;
/** Within awk and sed programs. */
const PROGRAM_WRITES = /\bsystem\s?\(|\bw\s/;

function onlyReads({ language, text }: Statement): boolean {
  return language === 'sql' ? onlyQueries(text) : onlyLooks(text);
}

function onlyLooks(text: string): boolean {
  if (text.trim() === '' || SHELL_WRITES.test(text) || REDIRECTS.test(text)) return false;
  return text.split(/\|\||&&|[|;\n&]/).every((part) => {
    const [command = '', ...rest] = part.trim().split(/\s+/);
    if (command === '' || /^\d$/.test(command)) return true;
    if (command === 'git') return GIT_READS.has(rest.find((word) => !word.startsWith('-')) ?? '');
    if (command === 'awk' || command === 'sed') return !PROGRAM_WRITES.test(part);
    return SHELL_READS.has(command);
  });
}

const SQL_READS = /^(?:select|with|show|describe|desc|explain|pragma\s+\w+\s*(?:\(|$)|values)\b/i;
const SQL_WRITES =
  /\b(?:insert|update|delete|merge|replace\s+into|upsert|create|alter|drop|truncate|grant|revoke|call|copy|into\s+outfile|for\s+update|vacuum|attach)\b/i;

function onlyQueries(text: string): boolean {
  const statements = withoutQuotes(text)
    .split(';')
    .map((each) => each.trim());
  const said = statements.filter((each) => each !== '');
  return said.length > 0 && said.every((each) => SQL_READS.test(each) && !SQL_WRITES.test(each));
}

/** Without strings and comments. */
function withoutQuotes(text: string): string {
  return text.replace(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
}
