import { setImmediate } from 'node:timers/promises';
import MiniSearch, { type SearchResult } from 'minisearch';
import { type Item, requestMessages } from '../chat/index.ts';
import { plainSteps } from '../compare/index.ts';
import type { TurnRequest } from '../contract/index.ts';
import { asText, isJsonObject, type Json } from '../json/index.ts';
import type { Pin, Session } from '../session/index.ts';
import type { MarkedText, SearchMatch, Snippet } from './api-shapes.ts';
import { pageText } from './page-text.ts';

/** The parts of a session and their weights: what somebody asked says most about it. */
const WEIGHTS = { title: 4, id: 3, request: 2, tool: 2, answer: 1.5, arguments: 1, result: 1 } as const;
type Place = keyof typeof WEIGHTS;
const PLACES = Object.keys(WEIGHTS) as Place[];

/** A part of a session that can be shown alone. */
interface Passage extends Omit<Snippet, 'text'> {
  readonly text: string;
}

/** Sessions whose passages are searched; nobody reads further. */
const MAX_SHOWN = 100;
/** Passages that are shown of one session. */
const MAX_SNIPPETS = 2;
/** Characters of a passage: before its first mark, and in total. */
const SNIPPET_BEFORE = 40;
const SNIPPET_CHARS = 160;
/** After this many sessions, building the index pauses for other requests. */
const AT_ONCE = 20;
/** Share of wrong letters allowed in a word if no session contains it. */
const NEAR = 0.2;

/** Finds sessions by their words (requests, tools, arguments, results and answers), not by the format of their files. */
export class SessionSearch {
  readonly #index = new MiniSearch<Readonly<Record<Place, string>> & { readonly path: string }>({
    idField: 'path',
    fields: PLACES,
    tokenize: termsIn,
    // Terms are already normalised.
    processTerm: (term) => term,
    searchOptions: { tokenize: queryTerms, prefix: true, combineWith: 'AND', boost: WEIGHTS },
  });
  readonly #known = new Map<string, { readonly file: Pin; readonly passages: readonly Passage[] }>();
  #updated: Promise<void> = Promise.resolve();

  /**
   * The files that contain every word, or words starting with it, best first. If there are none, those with very similar
   * words.
   * @param files all files; those unchanged since the last search are not read again
   */
  async find(text: string, files: readonly Pin[]): Promise<ReadonlyMap<string, SearchMatch>> {
    const updated = this.#updated.then(() => this.#update(files));
    this.#updated = updated.catch(() => {});
    await updated;
    const exact = this.#index.search(text);
    const hits = exact.length > 0 ? exact : this.#index.search(text, { fuzzy: NEAR });
    const isNear = exact.length === 0;
    return new Map(
      hits.map((hit, rank) => [
        String(hit.id),
        rank < MAX_SHOWN ? this.#matchOf(hit, isNear) : { isNear, title: [], snippets: [] },
      ]),
    );
  }

  async #update(files: readonly Pin[]): Promise<void> {
    const current = new Map(files.map((file) => [file.path, file]));
    for (const [path, { file }] of this.#known) {
      if (current.get(path) === file) continue;
      this.#index.discard(path);
      this.#known.delete(path);
    }
    for (const [count, file] of files.filter(({ path }) => !this.#known.has(path)).entries()) {
      const passages = passagesOf(file.session);
      this.#known.set(file.path, { file, passages });
      this.#index.add({ path: file.path, ...fieldsOf(passages) });
      if (count % AT_ONCE === AT_ONCE - 1) await setImmediate();
    }
  }

  #matchOf({ id, terms, match }: SearchResult, isNear: boolean): SearchMatch {
    const places = new Set(Object.values(match).flat());
    const passages = (this.#known.get(String(id))?.passages ?? []).filter(({ place }) => places.has(place));
    const wanted = new Set(terms);
    const snippets: Snippet[] = [];
    const seen = new Set<string>();
    const found = passages.map((passage) => ({ passage, marks: marksIn(passage.text, wanted) }));
    const inTitle = found.find(({ passage }) => passage.place === 'title');
    const rest = found
      .filter(({ passage, marks }) => passage.place !== 'title' && marks.length > 0)
      .sort((a, b) => worthOf(b) - worthOf(a));
    for (const { passage, marks } of rest) {
      if (snippets.length === MAX_SNIPPETS) break;
      // Another passage with the same words says nothing more.
      if (marks.every(({ term }) => seen.has(term))) continue;
      for (const { term } of marks) seen.add(term);
      const { place, turn, step, name, text } = passage;
      snippets.push({ place, turn, step, name: pageText(name), text: excerpt(text, marks) });
    }
    return {
      isNear,
      title: inTitle === undefined ? [] : marked(inTitle.passage.text, inTitle.marks),
      snippets,
    };
  }
}

interface Mark {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

function worthOf({ passage: { place }, marks }: { passage: Passage; marks: readonly Mark[] }): number {
  // The id is shown anyway.
  return new Set(marks.map(({ term }) => term)).size * 10 + (place === 'id' ? 0 : WEIGHTS[place]);
}

const STEP_PLACES: Readonly<Record<ReturnType<typeof plainSteps>[number]['kind'], Place | undefined>> = {
  call: 'arguments',
  result: 'result',
  text: 'answer',
  final: 'answer',
  error: 'result',
  end: undefined,
};

/** The texts of a session, each once, because requests repeat earlier turns. */
function passagesOf({ id, title = '', agentId = '', turns }: Session): Passage[] {
  const about = { turn: 0, step: 0, name: '' };
  const passages: Passage[] = [
    { ...about, place: 'id', text: agentId === '' ? id : `${id}, agent ${agentId}` },
    { ...about, place: 'title', text: title },
  ];
  for (const [index, { request, recorded }] of turns.entries()) {
    const turn = index + 1;
    for (const text of requestTexts(request, turn === 1)) {
      passages.push({ place: 'request', turn, step: 0, name: '', text });
    }
    for (const [at, { kind, name = '', value }] of plainSteps(recorded).entries()) {
      const step = at + 1;
      if (kind === 'call') passages.push({ place: 'tool', turn, step, name, text: name });
      const place = STEP_PLACES[kind];
      if (place !== undefined) passages.push({ place, turn, step, name, text: proseOf(value) });
    }
  }
  const seen = new Set<string>();
  return passages.filter(({ place, name, text }) => {
    const key = `${place} ${name} ${text}`;
    return text !== '' && !seen.has(key) && seen.add(key);
  });
}

/** The user's text. System prompts are the same in every session, and a pin's first turn contains what came before. */
function requestTexts(request: TurnRequest | undefined, isFirst: boolean): string[] {
  if (request?.messages === undefined) return request?.input === undefined ? [] : [request.input];
  return requestMessages(request.messages)
    .filter(({ role, raw }) => (isFirst ? role !== 'system' && raw.role !== 'developer' : role === 'user'))
    .map(({ items }) => items.map(textOfItem).filter(Boolean).join('\n'));
}

function textOfItem(item: Item): string {
  switch (item.kind) {
    case 'text':
    case 'reasoning':
      return item.text;
    case 'value':
    case 'unknown':
      return proseOf(item.value);
    case 'media':
      return '';
    case 'call':
      return `${item.call.name} ${proseOf(item.call.args)}`;
    case 'result':
      return proseOf(item.result.value);
  }
}

/** A value as words: `{ "order": { "id": 7 } }` becomes `order: id: 7`. */
function proseOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(proseOf).join(', ');
  if (!isJsonObject(value)) return asText(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}: ${proseOf(each)}`)
    .join(', ');
}

function fieldsOf(passages: readonly Passage[]): Record<Place, string> {
  const texts = Map.groupBy(passages, ({ place }) => place);
  const all = PLACES.map((place) => [place, (texts.get(place) ?? []).map(({ text }) => text).join('\n')]);
  return Object.fromEntries(all) as Record<Place, string>;
}

/** A word that stays as it is. */
const PLAIN = /^[a-z0-9]+$/;
/** Longest word; nobody searches for a longer one, and an unbounded pattern could overflow its stack. */
const WORD = /[\p{L}\p{N}\p{M}]{1,200}/gu;
/** Splits `refundOrder`, and `HTMLPage` too. */
const HUMPS = /\p{Lu}{1,200}(?!\p{Ll})|\p{Lu}?[^\p{Lu}]{1,200}|\p{Lu}/gu;
/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The words of a text, in lower case without accents, with their positions. */
function* wordsIn(text: string): Generator<Mark> {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    // By far the most common case, and several times as fast.
    if (PLAIN.test(word)) {
      yield { term: word, start: index, end: index + word.length };
      continue;
    }
    if (UNSPACED.test(word)) {
      for (const { segment, index: at } of segmenter.segment(word)) yield wordAt(segment, index + at);
      continue;
    }
    yield wordAt(word, index);
    const humps = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(word) ? [...word.matchAll(HUMPS)] : [];
    for (const { 0: hump, index: at } of humps) yield wordAt(hump, index + at);
  }
}

function wordAt(word: string, start: number): Mark {
  return { term: word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase(), start, end: start + word.length };
}

function termsIn(text: string): string[] {
  return Array.from(wordsIn(text), ({ term }) => term).filter(Boolean);
}

/** Only the two words of `refundOrder`, because `refund_order` means the same. */
function queryTerms(text: string): string[] {
  const words = [...wordsIn(text)];
  const isWhole = ({ start, end }: Mark) => words.some((other) => other.start >= start && other.end < end);
  return words.filter((word) => !isWhole(word)).map(({ term }) => term);
}

/** Positions of found words; if both a word and a part of it were found, the word's. */
function marksIn(text: string, terms: ReadonlySet<string>): Mark[] {
  const marks: Mark[] = [];
  for (const word of wordsIn(text)) {
    if (terms.has(word.term) && word.start >= (marks.at(-1)?.end ?? 0)) marks.push(word);
  }
  return marks;
}

/** A text around its first mark. */
function excerpt(text: string, marks: readonly Mark[]): MarkedText {
  const first = marks[0]?.start ?? 0;
  const start = first <= SNIPPET_BEFORE ? 0 : wordStart(text, first - SNIPPET_BEFORE);
  const end = Math.min(text.length, start + SNIPPET_CHARS);
  const inside = marks.filter((mark) => mark.end <= end);
  const parts = marked(
    text.slice(start, end),
    inside.map((mark) => ({ ...mark, start: mark.start - start, end: mark.end - start })),
  );
  const cut = (text: string) => ({ text, isMarked: false });
  return [...(start > 0 ? [cut('… ')] : []), ...parts, ...(end < text.length ? [cut(' …')] : [])];
}

function wordStart(text: string, from: number): number {
  const space = text.slice(from, from + SNIPPET_BEFORE / 2).search(/\s/);
  return space === -1 ? from : from + space + 1;
}

/** A text in parts, with the found ones marked. */
function marked(text: string, marks: readonly Mark[]): MarkedText {
  let at = 0;
  const parts = marks.flatMap(({ start, end }) => {
    const before = { text: pageText(text.slice(at, start)), isMarked: false };
    at = end;
    return [before, { text: pageText(text.slice(start, end)), isMarked: true }];
  });
  return [...parts, { text: pageText(text.slice(at)), isMarked: false }].filter((part) => part.text !== '');
}
