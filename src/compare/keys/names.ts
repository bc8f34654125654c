import type { TurnRequest } from '../../contract/index.ts';
import type { Json } from '../../json/index.ts';
import type { Step } from '../shapes/step.ts';
import type { Trajectory } from '../steps/recorded-steps.ts';
import { leavesIn, mapLeaves } from '../values/canonical.ts';
import { counterparts, type Told } from '../values/told.ts';
import { replaceTokens, type Token, tokensIn } from '../values/volatile.ts';
import { madeAnewIn } from './made-anew.ts';

/** A step in the form in which it is compared. */
export interface NamedStep extends Step {
  /** Everything in it that looks generated, in order. */
  readonly ids: readonly Id[];
  /** If order matters in a parallel group: the part of the group within which it does not. */
  readonly part?: number;
}

export const NO_IDS: readonly Id[] = [];

export interface Id {
  /** As it was. */
  readonly text: string;
  /** `<create_order.uuid#1>`; the text itself if the model wrote it first. */
  readonly name: string;
  /** A tool introduced it, and this is its first occurrence. */
  readonly isNew: boolean;
}

const BETWEEN = /[^\p{L}\p{N}_-]{1,100}/u;
/** More values of one run that tools number are data. */
const MAX_ANEW = 100;

/** The clocks of the agent and of what it calls may differ by this much. */
const CLOCK_SLACK_MS = 5 * 60_000;

/** Whether a time, in milliseconds since 1970, may come from the run's own clock. */
export function isClockTime(time: number, clock: Trajectory['clock']): boolean {
  if (clock === undefined || Number.isNaN(time)) return false;
  return time >= clock.from - CLOCK_SLACK_MS && time <= clock.to + CLOCK_SLACK_MS;
}

/** The generated values of one run and their numbers. */
export class Names {
  readonly #literal: ReadonlySet<string>;
  /** The step at hand is one. */
  #isCall = false;
  readonly #clocks: readonly Trajectory['clock'][];
  readonly #names = new Map<string, string>();
  readonly #written = new Set<string>();
  readonly #counts = new Map<string, number>();
  /** The tool whose step is being renamed. */
  #tool: string | undefined;
  #ids: Id[] | undefined;
  /** What was seen so far, to tell what a tool has just made; collected only when it is needed. */
  #unread: Json[];
  readonly #seen = new Set<string>();
  readonly #anew: string[] = [];
  #anewIn: RegExp | undefined;
  /** Numbers that a clock wrote, and numbers that the model wrote. */
  readonly #readings = new Set<number>();
  readonly #writtenNumbers = new Set<number>();

  readonly #original: Told | undefined;
  /** How many results of a tool came, and the words of the original that others stand for. */
  readonly #results = new Map<string | undefined, number>();
  readonly #taken = new Set<string>();

  /**
   * @param clocks of the run, and of the recordings that tool results came from
   * @param original what its tools told, for a run beside it
   */
  constructor(clocks: readonly Trajectory['clock'][], request: TurnRequest | undefined, original?: Told) {
    this.#clocks = clocks;
    this.#original = original;
    const asked = request === undefined ? [] : [request.input ?? null, ...(request.messages ?? [])];
    this.#unread = asked as Json[];
    this.#literal = new Set(tokensIn(asked).map(({ text }) => text));
    for (const leaf of leavesIn(asked)) if (typeof leaf === 'number') this.#writtenNumbers.add(leaf);
  }

  /** The step with every generated value renamed. Call it in order, because the first occurrence decides. */
  rename(step: Step): NamedStep {
    this.#tool = step.name;
    this.#isCall = step.kind === 'call';
    this.#ids = undefined;
    if (step.callId !== undefined) this.#generated({ text: step.callId, shape: 'call' });
    if (step.kind === 'result') this.#pair(step);
    for (const each of madeAnewIn(step)) this.#make(String(each), step.kind === 'call');
    if (step.value !== undefined) this.#unread.push(step.value);
    const value = step.value === undefined ? undefined : this.#renamed(step.value, isGenerating(step));
    return { ...step, value, ids: this.#ids ?? NO_IDS };
  }

  /** Notes what the model wrote in a call before that call is renamed. */
  write({ kind, value }: Step): void {
    this.#ids = undefined;
    this.#isCall = kind === 'call';
    if (value !== undefined) this.#renamed(value, false);
  }

  /** A value with known ids under their names, and newly generated ones by their kind. */
  sketch(value: Json, generates: boolean): Json {
    return mapLeaves(
      value,
      (text) =>
        replaceTokens(text, (token) => {
          const isNew = generates && this.isVolatile(token) && !this.#written.has(token.text);
          return this.#names.get(token.text) ?? (isNew ? `<${token.shape}>` : token.text);
        }),
      (number) => {
        const isNew = generates && !this.#writtenNumbers.has(number);
        return this.#isClockNumber(number) && (isNew || this.#readings.has(number)) ? '<time>' : number;
      },
    );
  }

  isVolatile({ text, shape }: Token): boolean {
    // A time without a zone is read as of UTC, too: it must not matter in which zone the comparison runs.
    const iso = text.replace(' ', 'T');
    const isFree = shape !== 'time' || [iso, `${iso}Z`].some((each) => this.#isClockTime(Date.parse(each)));
    return isFree && !this.#literal.has(text);
  }

  #renamed(value: Json, generates: boolean): Json {
    return mapLeaves(
      value,
      (text) => this.#renameIn(text, generates),
      (number) => this.#renameNumber(number, generates),
    );
  }

  /** Gives what stands in the place of a generated value of the original its name. */
  #pair(step: Step): void {
    const nth = this.#results.get(step.name) ?? 0;
    this.#results.set(step.name, nth + 1);
    const told = this.#original?.get(step.name)?.[nth];
    if (told === undefined || !isGenerating(step)) return;
    for (const { text, theirs, made } of counterparts(told, step.value ?? null)) {
      if (this.#names.has(text) || this.#taken.has(theirs) || this.#anew.length >= MAX_ANEW) continue;
      if (this.#isSeen(text) || this.#isSeen(theirs)) continue;
      this.#taken.add(theirs);
      const name = made ? theirs.replace(made.text, this.#generated({ text, shape: made.shape })) : theirs;
      this.#names.set(text, name);
      this.#replaceAll(text);
    }
  }

  #isSeen(text: string): boolean {
    for (const leaf of leavesIn(this.#unread)) for (const word of String(leaf).split(BETWEEN)) this.#seen.add(word);
    this.#unread = [];
    return text.split(BETWEEN).every((word) => this.#seen.has(word));
  }

  /** A value that a program made anew, unless it was seen before. @param isOfCall nobody else can have made it */
  #make(text: string, isOfCall: boolean): void {
    const isSeen = this.#isSeen(text);
    const hasShape = !isOfCall && tokensIn(text).some((token) => token.text === text);
    if (isSeen || hasShape || this.#names.has(text) || this.#anew.length >= MAX_ANEW) return;
    this.#generated({ text, shape: 'key' });
    this.#replaceAll(text);
  }

  #replaceAll(text: string): void {
    this.#anew.push(text);
    const any = this.#anew.map((each) => each.replace(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`)).join('|');
    this.#anewIn = new RegExp(String.raw`(?<![\p{L}\p{N}_\-])(${any})(?![\p{L}\p{N}_\-])`, 'gu');
  }

  #renameIn(text: string, generates: boolean): string {
    if (this.#anewIn === undefined) return this.#renameTokens(text, generates);
    const parts = text.split(this.#anewIn);
    return parts.map((part, at) => (at % 2 ? this.#again(part) : this.#renameTokens(part, generates))).join('');
  }

  #renameTokens(text: string, generates: boolean): string {
    return replaceTokens(text, (token) => {
      if (!this.#names.has(token.text)) {
        if (!this.isVolatile(token)) return token.text;
        const isMade = generates || (this.#isCall && isReading(token));
        if (isMade && !this.#written.has(token.text)) return this.#generated(token);
        this.#written.add(token.text);
      }
      return this.#again(token.text);
    });
  }

  /** The name of what was there before. */
  #again(text: string): string {
    const name = this.#names.get(text) ?? text;
    this.#note({ text, name, isNew: false });
    return name;
  }

  #note(id: Id): void {
    this.#ids ??= [];
    this.#ids.push(id);
  }

  #renameNumber(number: number, generates: boolean): Json {
    const made = this.#anew.includes(String(number)) && this.#names.get(String(number));
    if (made) return made;
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
    // Two clock readings may or may not share a millisecond, so equal times mean nothing. Ids are counted per tool, so that
    // an extra call of another tool does not renumber the following ids.
    const kind = this.#tool === undefined ? shape : `${this.#tool}.${shape}`;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    const name = shape === 'time' ? '<time>' : `<${kind}#${count}>`;
    this.#counts.set(kind, count);
    this.#names.set(text, name);
    if (shape !== 'time') this.#note({ text, name, isNew: true });
    return name;
  }

  #isClockTime(time: number): boolean {
    return this.#clocks.some((clock) => isClockTime(time, clock));
  }

  /** Seconds or milliseconds since 1970 inside the run. */
  #isClockNumber(number: number): boolean {
    return this.#isClockTime(number) || this.#isClockTime(number * 1_000);
  }
}

/** No model writes the second that its own run is in: a program read the clock, whoever sends the value on. */
function isReading({ shape, text }: Token): boolean {
  return shape === 'time' && /:\d\d:\d\d/.test(text);
}

/** A value from outside can be generated; a model's text cannot, not even a sub-agent's. */
export function isGenerating({ kind, byModel }: Step): boolean {
  return kind === 'error' || (kind === 'result' && byModel !== true);
}
