/**
 * The one door for text from an agent, a model, a tool, a platform or a file name. Every such text passes through one of
 * these functions before it is written to an output, whatever it is believed to be.
 */

/**
 * Characters that could act unseen: control, bidirectional and zero-width characters, tags, line separators, the blank
 * Braille cell. Callers decide about tab and line feed; the mark that turns a sign into an emoji is kept.
 */
const INVISIBLE = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\t\n\ufe0f]]/gv;

// What a terminal acts on, by ECMA-48: control sequences, strings with their end, and short escapes. Neighbouring character
// classes never overlap, and none holds the start of a sequence, so each character is read once.
// (`util.stripVTControlCharacters` backtracks: half a megabyte of `ESC ;#;#` took it minutes.)
const SEQUENCES = [
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/,
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009b-\u009f]*(?:\u0007|\u001b\\|\u009c)/,
  /\u001b[ -/]*[0-~]/,
];
export const SEQUENCE = new RegExp(SEQUENCES.map(({ source }) => source).join('|'), 'g');

/** The text without sequences that move a terminal's cursor, change colours, set titles or make links. */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCE, '');
}

/**
 * Makes lines visible, for a caller that makes them safe for their place: removes ANSI sequences, replaces lone surrogates,
 * turns CR and CRLF into LF, and spells out invisible characters (`\u202e`), except joiners where they join.
 */
export function visible(text: string): string {
  return withoutSequences(text.toWellFormed().replace(/\r\n?/g, '\n')).replace(INVISIBLE, escaped);
}

/** In these scripts joiners change how a word reads: Persian, Hindi, Sinhala and their neighbours. */
const JOINING =
  '[[\\p{L}\\p{M}]&&[\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mong}\\p{scx=Nko}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}]]';
const ENDS_IN_WORD = new RegExp(`${JOINING}$`, 'v');
const GOES_ON_AS_WORD = new RegExp(`^${JOINING}`, 'v');
const ENDS_IN_EMOJI = /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$/u;
const GOES_ON_AS_EMOJI = /^\p{Extended_Pictographic}/u;
/** Longest emoji before a joiner, in code units. */
const AROUND = 8;

/** Whether a joiner stands inside a word or a composed emoji (a family), where readers see its effect. */
function isJoining(character: string, at: number, text: string): boolean {
  if (character !== '\u200c' && character !== '\u200d') return false;
  const [before, after] = [text.slice(Math.max(0, at - AROUND), at), text.slice(at + 1, at + 1 + AROUND)];
  if (ENDS_IN_WORD.test(before) && GOES_ON_AS_WORD.test(after)) return true;
  return character === '\u200d' && ENDS_IN_EMOJI.test(before) && GOES_ON_AS_EMOJI.test(after);
}

function escaped(character: string, at: number, text: string): string {
  if (isJoining(character, at, text)) return character;
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

/** Text that an HTML page inserts as text. Markup does not matter then; invisible characters do. */
export function forHtmlText(text: string): string {
  return visible(text);
}

/** Marks a line break in output that must stay on one line. */
const LINE_BREAK_SIGN = '⏎';

function oneLine(text: string): string {
  return visible(text).replaceAll('\n', LINE_BREAK_SIGN).replaceAll('\t', ' ');
}

/**
 * One line for a terminal. Standard output is also the log of a CI job, where a line can be a command (`::error::` at its
 * start, `##[add-mask]` anywhere): a visible backslash breaks both.
 */
export function forTerminal(text: string): string {
  return oneLine(text)
    .replaceAll('##[', '##\\[')
    .replace(/^\s*:(?=:)/, (start) => `${start}\\`);
}

/** Any number of lines for a terminal. */
export function linesForTerminal(text: string): string[] {
  return visible(text)
    .split('\n')
    .map((line) => forTerminal(line));
}

/**
 * Everything that Markdown, GitHub's extensions (mentions, references, emoji, formulas, links) and HTML act on. An
 * underscore inside a word and a colon before a blank have no effect, and stay.
 */
const MARKDOWN_ACTIVE = /[&<>|@#`*~[\]!\\$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?! )|(?<=www)\./giu;

/** A table cell, or part of a paragraph: code on one line, with every active character as an entity. */
export function forMarkdownCell(text: string): string {
  const inert = oneLine(text).replace(MARKDOWN_ACTIVE, (character) => `&#${character.charCodeAt(0)};`);
  return inert.trim() === '' ? '' : `<code>${inert}</code>`;
}

/** At the start of a paragraph, these begin a list, a heading or a rule. */
const BEGINS_A_BLOCK = /^(?:[-+=]|\d+[.)])/;
/** A commit's hash: GitHub would link it. */
const HASH = /^[0-9a-f]{7,40}$/i;

/**
 * One of our sentences that quotes others. It reads as prose, but these become code: text in double quotes or backticks,
 * JSON objects and lists, and any word that Markdown or GitHub could act on.
 */
export function forMarkdownProse(text: string): string {
  return withoutValues(oneLine(text.trim()))
    .map((part, at) => (at % 2 === 1 ? forMarkdownCell(part) : quotingProse(part, at === 0)))
    .join('');
}

function quotingProse(text: string, isStart: boolean): string {
  return text
    .split(/((?<!\\)"[^"\\]*(?:\\.[^"\\]*){0,1000}"|`[^`]*`)/)
    .map((part, at) => (at % 2 === 1 ? quoted(part) : proseOf(part, isStart && at === 0)))
    .join('');
}

/** A command of ours is set as what one types: GitHub breaks no line inside of that, but would link a name or an address. */
function quoted(part: string): string {
  const code = forMarkdownCell(part.replace(/^`|`$/g, ''));
  return /^`(?:\/|npx )?agent-replay [^@#:]*`$/.test(part)
    ? code.replace(/^<code>(.*)<\/code>$/, '<kbd>$1</kbd>')
    : code;
}

/** Longest object of JSON that is looked for in a sentence. */
const MAX_VALUE_CHARS = 4_000;
/** Further openings after this many false ones are read as prose. */
const MAX_TRIES = 100;

/** Splits a sentence at its JSON objects and lists: every second part is one. */
function withoutValues(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let tries = 0;
  for (const { index } of text.matchAll(/\{(?=["}])|\[(?=[\]"{[\d-])/g)) {
    if (index < from) continue;
    if (++tries > MAX_TRIES) break;
    const end = endOfValue(text, index);
    if (end === undefined) continue;
    parts.push(text.slice(from, index), text.slice(index, end));
    from = end;
  }
  return [...parts, text.slice(from)];
}

/** The index after an object or list that begins here, or after the ellipsis that cuts it; undefined if there is none. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  let isText = false;
  for (let at = start; at < Math.min(text.length, start + MAX_VALUE_CHARS); at++) {
    const character = text[at] as string;
    if (character === '…' && /^(?:[ ,.;:)]|$)/.test(text.slice(at + 1, at + 2))) return at + 1;
    if (character === '\\') at++;
    else if (character === '"') isText = !isText;
    else if (!isText && (character === '{' || character === '[')) depth++;
    else if (!isText && (character === '}' || character === ']') && --depth === 0) return at + 1;
  }
  return undefined;
}

function proseOf(text: string, isStart: boolean): string {
  const words = text.split(' ');
  return words
    .map((word, at) => {
      const core = word.replace(/(?<![:,.;)])[:,.;)]+$/, '');
      const after = word.slice(core.length);
      const isInert = core.search(MARKDOWN_ACTIVE) === -1 && !HASH.test(core) && !/^gh-\d/i.test(core);
      return isInert && !(isStart && at === 0 && BEGINS_A_BLOCK.test(word)) ? word : forMarkdownCell(core) + after;
    })
    .join(' ');
}

/** A fenced block. The fence is longer than any run of backticks inside. */
export function forMarkdownBlock(text: string, language: 'json' | 'text' | 'diff' = 'text'): string {
  const shown = visible(text);
  let longest = 0;
  for (const [run] of shown.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${shown}\n${fence}`;
}

/** XML 1.0 allows these in no form, not even as a reference. Other such characters were made visible before. */
const NOT_XML = /[\ufffe\uffff]/g;

/** The text of an element or of a quoted attribute, with either quote. */
export function forXml(text: string): string {
  return visible(text)
    .replace(NOT_XML, '\ufffd')
    .replace(/[&<>"'\n\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}
