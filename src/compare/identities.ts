import type { Json, TurnRequest } from '../contract/index.ts';
import { byCodeUnit, canonical, mapLeaves } from './canonical.ts';
import type { Step, Trajectory } from './steps.ts';

/** Clocks of the agent and of what it calls may be this far from each other. */
const CLOCK_SLACK_MS = 5 * 60_000;

/**
 * Every shape that generators of ids and clocks write, longest alternatives first; what is neither uuid nor time is a
 * word with a digit near its start, which {@link shapeOfWord} looks at more closely. Looks ahead by bounded lengths only.
 */
const TOKEN =
  /(?<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)|(?<time>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)|\b(?=[\w-]{10})(?=[a-z_-]{0,64}\d)[a-z0-9]+(?:[_-][a-z0-9]+)*/gi;

/** Prefixes under which model providers and SDKs hand out ids. */
const PROVIDER_ID = /^(?:call|toolu|chatcmpl|msg|run|resp|req|asst|thread|fc|rs)[_-][A-Za-z0-9_-]{6,}$/;
/** `user_` and a uuid. */
const UUID_AT_END = /[_-][0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const HEX = /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{16,}$/i;
/** An id of mixed letters and digits shorter than this could as well be a product or a version. */
const MIN_MIXED = 16;
const MIN_DIGITS = 3;
/** Longer words are content (base64), not ids. */
const MAX_ID = 200;

interface Token {
  readonly text: string;
  readonly shape: string;
}

/** A step as it is compared. */
export interface NamedStep extends Step {
  /** Everything in it that looks generated, in order. */
  readonly ids: readonly Id[];
}

const NO_IDS: readonly Id[] = [];

export interface Id {
  /** As it was. */
  readonly text: string;
  /** `<create_order.uuid#1>`; the text itself when the model wrote it first. */
  readonly name: string;
  /** A tool brought it up, and here for the first time. */
  readonly isNew: boolean;
}

export interface IdentityOptions {
  /** Ids in it are never renamed. */
  readonly request: TurnRequest | undefined;
  /** Nothing is renamed at all. */
  readonly literal: boolean;
  readonly orderMatters: (tool: string) => boolean;
}

/**
 * Makes the values of one run comparable with another run's: ids and times that tools generated are renamed by first
 * occurrence among those of a tool (`<create_order.uuid#1>`), so that equality is a bijection and the wrong generated id
 * is still found. What the model wrote first and what the request holds stay as they are; a date without a time is never
 * a clock's. Parallel calls, which have no order of their own, come by what they say.
 */
export function comparableSteps(trajectory: Trajectory, options: IdentityOptions): NamedStep[] {
  return new Naming(trajectory, options).steps().map(({ named }) => named);
}

/** The steps in the order in which they are compared, with their values as they were. */
export function orderedSteps(trajectory: Trajectory, options: IdentityOptions): Step[] {
  return new Naming(trajectory, options).steps().map(({ step }) => step);
}

/** A text with everything volatile in it replaced by its kind. */
export function maskText(text: string, clock: Trajectory['clock']): string {
  const names = new Names(clock, undefined);
  return replaceTokens(text, (token) => (names.isVolatile(token) ? `<${token.shape}>` : token.text));
}

interface Entry {
  readonly step: Step;
  readonly named: NamedStep;
}

/** A parallel call, what a sub-agent did for it, and what it came to. */
interface Block {
  readonly steps: readonly Step[];
  /** What it says, with what it generates masked. */
  readonly sketch: string;
}

/** One pass over the steps of a run: parallel calls are put in order and ids are named in that order. */
class Naming {
  readonly #steps: readonly Step[];
  readonly #options: IdentityOptions;
  readonly #names: Names;
  readonly #entries: Entry[] = [];
  readonly #lastOf: ReadonlyMap<number | undefined, Step>;
  #mentions: Mentions | undefined;

  constructor({ steps, clock }: Trajectory, options: IdentityOptions) {
    this.#steps = steps;
    this.#options = options;
    this.#names = new Names(clock, options.request);
    this.#lastOf = new Map(steps.map((step) => [step.group, step]));
  }

  steps(): readonly Entry[] {
    this.#visit(this.#steps, (step) => this.#name(step));
    return this.#entries;
  }

  #name(step: Step): void {
    const named = this.#options.literal ? { ...step, ids: NO_IDS } : this.#names.rename(step);
    this.#entries.push({ step, named });
  }

  /** One step after the other, as the order of what comes later can depend on how what came before was named. */
  #visit(steps: readonly Step[], take: (step: Step) => void): void {
    for (let start = 0; start < steps.length; ) {
      const group = steps[start]?.group;
      const last = group === undefined ? undefined : this.#lastOf.get(group);
      const end = last === undefined ? start : Math.max(start, steps.indexOf(last, start));
      // A call and what it came to is no group.
      if (end - start < 2) for (let at = start; at <= end; at++) take(steps[at] as Step);
      else for (const step of this.#groupInOrder(steps.slice(start, end + 1))) take(step);
      start = end + 1;
    }
  }

  #groupInOrder(steps: readonly Step[]): Step[] {
    const group = steps[0]?.group;
    const calls: Step[][] = [];
    for (const step of steps) {
      if (step.group === group && step.kind === 'call') calls.push([step]);
      else calls.at(-1)?.push(step);
    }
    // Asked for all at once: what one call writes, none of the others has generated.
    if (!this.#options.literal) for (const [call] of calls) if (call !== undefined) this.#names.write(call);
    const blocks = calls.map(([call, ...rest]): Block => {
      // Between a call and its result stands what a sub-agent did.
      const own = [call as Step];
      this.#visit(rest.slice(0, -1), (step) => own.push(step));
      own.push(...rest.slice(-1));
      return { steps: own, sketch: own.map((step) => this.#sketch(step)).join('\0') };
    });
    const isFree = !calls.some(([call]) => this.#options.orderMatters(call?.name ?? ''));
    if (isFree) blocks.sort((a, b) => byCodeUnit(a.sketch, b.sketch) || this.#byUse(a, b));
    return blocks.flatMap(({ steps: own }) => own);
  }

  #sketch({ kind, name, value }: Step): string {
    if (value === undefined) return `${name}\0${kind}\0`;
    const said = this.#options.literal ? value : this.#names.sketch(value, isGenerating(kind));
    return `${name}\0${kind}\0${canonical(said)}`;
  }

  /** Calls that say the same came to different ids: whose id is used first comes first. */
  #byUse(a: Block, b: Block): number {
    if (this.#options.literal) return 0;
    this.#mentions ??= new Mentions(this.#steps, this.#names);
    return byCodeUnit(this.#mentions.after(a.steps), this.#mentions.after(b.steps));
  }
}

/** What comes from outside can hold a generated value first; what the model writes cannot. */
function isGenerating(kind: Step['kind']): boolean {
  return kind === 'result' || kind === 'error';
}

/** Where in a run ids are mentioned that have no name yet. */
class Mentions {
  readonly #names: Names;
  readonly #placeOf = new Map<Step, number>();
  readonly #ids = new Map<Step, readonly string[]>();
  /** Of each id in order; `order` sorts them the same way whatever the order within parallel groups. */
  readonly #mentions = new Map<string, { readonly place: number; readonly order: string }[]>();

  constructor(steps: readonly Step[], names: Names) {
    this.#names = names;
    const starts = new Map<number, number>();
    for (const [place, step] of steps.entries()) {
      this.#placeOf.set(step, place);
      const { group, name, value } = step;
      if (group !== undefined && !starts.has(group)) starts.set(group, place);
      const ids = value === undefined ? [] : idsIn(value);
      if (value === undefined || ids.length === 0) continue;
      this.#ids.set(step, ids);
      const start = ordinal(group === undefined ? place : (starts.get(group) ?? place));
      const among = group === undefined ? '' : `${name}\0${canonical(names.masked(value))}`;
      for (const [index, id] of ids.entries()) {
        const known = this.#mentions.get(id) ?? [];
        known.push({ place, order: `${start}\0${among}\0${ordinal(index)}` });
        this.#mentions.set(id, known);
      }
    }
  }

  /** Where the ids that these steps bring up are mentioned behind them, as a text to sort by. */
  after(steps: readonly Step[]): string {
    const end = steps.reduce((last, step) => Math.max(last, this.#placeOf.get(step) ?? 0), 0);
    const ids = new Set(steps.flatMap((step) => this.#ids.get(step) ?? []));
    const later = [...ids].flatMap((id) => {
      if (this.#names.isKnown(id)) return [];
      return this.#mentions.get(id)?.find(({ place }) => place > end)?.order ?? [];
    });
    return [...later.sort(), LAST].join('\0');
  }
}

/** Behind every ordinal. */
const LAST = '~';

/** A number as a text that sorts as the number does. */
function ordinal(value: number): string {
  return String(value).padStart(8, '0');
}

/** Names of one run: what was generated in it, and under which number. */
class Names {
  readonly #literal: ReadonlySet<string>;
  readonly #clock: Trajectory['clock'];
  readonly #names = new Map<string, string>();
  readonly #written = new Set<string>();
  readonly #counts = new Map<string, number>();
  /** Whose step is being renamed. */
  #tool: string | undefined;
  #ids: Id[] | undefined;
  /** Numbers that a clock wrote, and numbers that the model wrote. */
  readonly #readings = new Set<number>();
  readonly #writtenNumbers = new Set<number>();

  constructor(clock: Trajectory['clock'], request: TurnRequest | undefined) {
    this.#clock = clock;
    const asked = request === undefined ? [] : [request.input ?? null, ...(request.messages ?? [])];
    this.#literal = new Set(tokensIn(asked).map(({ text }) => text));
    for (const number of numbersIn(asked)) this.#writtenNumbers.add(number);
  }

  isKnown(token: string): boolean {
    return this.#names.has(token) || this.#literal.has(token) || this.#written.has(token);
  }

  /** The step with every generated value renamed. Call it in order: the first occurrence decides. */
  rename(step: Step): NamedStep {
    this.#tool = step.name;
    this.#ids = undefined;
    if (step.callId !== undefined) this.#generated({ text: step.callId, shape: 'call' });
    const value = step.value === undefined ? undefined : this.#renamed(step.value, isGenerating(step.kind));
    return { ...step, value, ids: this.#ids ?? NO_IDS };
  }

  /** Takes note of what the model wrote in a call, before it is that call's turn. */
  write({ value }: Step): void {
    this.#ids = undefined;
    if (value !== undefined) this.#renamed(value, false);
  }

  /** A value with what is known under its name, and what it generates by its kind. */
  sketch(value: Json, generates: boolean): Json {
    return mapLeaves(
      value,
      (text) =>
        replaceTokens(text, (token) => {
          const known = this.#names.get(token.text);
          if (known !== undefined) return known;
          const isNew = generates && this.isVolatile(token) && !this.#written.has(token.text);
          return isNew ? `<${token.shape}>` : token.text;
        }),
      (number) => {
        if (!this.#isClockNumber(number)) return number;
        const isNew = generates && !this.#writtenNumbers.has(number);
        return isNew || this.#readings.has(number) ? '<time>' : number;
      },
    );
  }

  /** Any value with all volatile shapes replaced by their kind, whoever wrote them first. */
  masked(value: Json): Json {
    return mapLeaves(
      value,
      (text) => replaceTokens(text, (token) => (this.isVolatile(token) ? `<${token.shape}>` : token.text)),
      (number) => (this.#isClockNumber(number) ? '<time>' : number),
    );
  }

  isVolatile({ text, shape }: Token): boolean {
    if (this.#literal.has(text)) return false;
    return shape !== 'time' || this.#isClockTime(Date.parse(text.includes('T') ? text : text.replace(' ', 'T')));
  }

  #renamed(value: Json, generates: boolean): Json {
    return mapLeaves(
      value,
      (text) => this.#renameIn(text, generates),
      (number) => this.#renameNumber(number, generates),
    );
  }

  #renameIn(text: string, generates: boolean): string {
    return replaceTokens(text, (token) => {
      const known = this.#names.get(token.text);
      if (known === undefined) {
        if (!this.isVolatile(token)) return token.text;
        if (generates && !this.#written.has(token.text)) return this.#generated(token);
        this.#written.add(token.text);
      }
      const name = known ?? token.text;
      this.#note({ text: token.text, name, isNew: false });
      return name;
    });
  }

  #note(id: Id): void {
    this.#ids ??= [];
    this.#ids.push(id);
  }

  #renameNumber(number: number, generates: boolean): Json {
    if (!this.#isClockNumber(number)) return number;
    if (generates && !this.#writtenNumbers.has(number)) this.#readings.add(number);
    if (this.#readings.has(number)) return '<time>';
    this.#writtenNumbers.add(number);
    return number;
  }

  #generated({ text, shape }: Token): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#literal.has(text)) return text;
    // Two readings of a clock may or may not fall into one millisecond: equal times mean nothing.
    // Counted by tool, so that one more call of another tool does not give all ids after it another number.
    const kind = this.#tool === undefined ? shape : `${this.#tool}.${shape}`;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    const name = shape === 'time' ? '<time>' : `<${kind}#${count}>`;
    this.#counts.set(kind, count);
    this.#names.set(text, name);
    if (shape !== 'time') this.#note({ text, name, isNew: true });
    return name;
  }

  #isClockTime(time: number): boolean {
    if (this.#clock === undefined || Number.isNaN(time)) return false;
    return time >= this.#clock.from - CLOCK_SLACK_MS && time <= this.#clock.to + CLOCK_SLACK_MS;
  }

  /** Seconds or milliseconds since 1970 inside the run. */
  #isClockNumber(number: number): boolean {
    return this.#isClockTime(number) || this.#isClockTime(number * 1_000);
  }
}

/** Everything of volatile shape in a value, in order. */
function tokensIn(value: Json): Token[] {
  const tokens: Token[] = [];
  const collect = (text: string): string =>
    replaceTokens(text, (token) => {
      tokens.push(token);
      return token.text;
    });
  mapLeaves(value, collect, (number) => number);
  return tokens;
}

function numbersIn(value: Json): number[] {
  const numbers: number[] = [];
  const collect = (number: number): number => {
    numbers.push(number);
    return number;
  };
  mapLeaves(value, (text) => text, collect);
  return numbers;
}

function idsIn(value: Json): string[] {
  return tokensIn(value).flatMap(({ text, shape }) => (shape === 'time' ? [] : text));
}

function replaceTokens(text: string, replace: (token: Token) => string): string {
  if (!mayHoldToken(text)) return text;
  return text.replace(TOKEN, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as { uuid?: string; time?: string };
    const shape = groups.uuid !== undefined ? 'uuid' : groups.time !== undefined ? 'time' : shapeOfWord(match);
    return shape === undefined ? match : replace({ text: match, shape });
  });
}

/** Nothing shorter has a volatile shape. */
const MIN_TOKEN = 10;

/** Whether a run of {@link MIN_TOKEN} word characters and hyphens holds a digit: most texts have none. */
function mayHoldToken(text: string): boolean {
  let length = 0;
  let hasDigit = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isDigit = code >= 0x30 && code <= 0x39;
    if (isDigit || (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code === 0x2d) {
      hasDigit ||= isDigit;
      if (++length >= MIN_TOKEN && hasDigit) return true;
    } else if (length > 0) {
      length = 0;
      hasDigit = false;
    }
  }
  return false;
}

function shapeOfWord(word: string): string | undefined {
  if (word.length > MAX_ID) return undefined;
  if (PROVIDER_ID.test(word)) return 'id';
  if (UUID_AT_END.test(word)) return 'uuid';
  if (ULID.test(word)) return 'ulid';
  const last = word.slice(Math.max(word.lastIndexOf('_'), word.lastIndexOf('-')) + 1);
  if (HEX.test(last)) return 'hex';
  return isMixed(last) ? 'id' : undefined;
}

function isMixed(word: string): boolean {
  return word.length >= MIN_MIXED && /[A-Za-z]/.test(word) && (word.match(/\d/g)?.length ?? 0) >= MIN_DIGITS;
}
