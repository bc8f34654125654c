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

/**
 * Makes the values of one run comparable with another run's: ids and times that tools generated are renamed by first
 * occurrence among those of a tool (`<create_order.uuid#1>`), so that equality is a bijection and the wrong generated id
 * is still found. What the model wrote first and what the request holds stay as they are; a date without a time is never
 * a clock's.
 */
export function comparableSteps(
  trajectory: Trajectory,
  options: { request: TurnRequest | undefined; literal: boolean; orderMatters: (tool: string) => boolean },
): Step[] {
  const renamer = new Renamer(trajectory.clock, options.request);
  const steps = sortGroups(trajectory.steps, renamer, options.orderMatters);
  return options.literal ? steps : steps.map((step) => renamer.rename(step));
}

/** A text with everything volatile in it replaced by its kind. */
export function maskText(text: string, clock: Trajectory['clock']): string {
  const masked = new Renamer(clock, undefined).masked(text);
  return typeof masked === 'string' ? masked : text;
}

/** Parallel calls have no order of their own: by name, then by arguments and result with volatile values masked. */
function sortGroups(steps: readonly Step[], renamer: Renamer, orderMatters: (tool: string) => boolean): Step[] {
  const lastOf = new Map(steps.map(({ group }, index) => [group, index]));
  const sorted: Step[] = [];
  for (let start = 0; start < steps.length; ) {
    const group = steps[start]?.group;
    const end = group === undefined ? start : (lastOf.get(group) ?? start);
    for (const step of sortGroup(steps.slice(start, end + 1), renamer, orderMatters)) sorted.push(step);
    start = end + 1;
  }
  return sorted;
}

function sortGroup(steps: readonly Step[], renamer: Renamer, orderMatters: (tool: string) => boolean): Step[] {
  if (steps.length < 3) return [...steps];
  const group = steps[0]?.group;
  const calls: Step[][] = [];
  for (const step of steps) {
    if (step.group === group && step.kind === 'call') calls.push([step]);
    else calls.at(-1)?.push(step);
  }
  const ordered = calls.map(([call, ...rest]) => {
    // Between a call and its result stands what a sub-agent did.
    const inner = sortGroups(rest.slice(0, -1), renamer, orderMatters);
    const own = [call as Step, ...inner, ...rest.slice(-1)];
    return {
      own,
      key: own
        .map(({ name, value }) => `${name}\0${value === undefined ? '' : canonical(renamer.masked(value))}`)
        .join('\0'),
    };
  });
  if (!calls.some(([call]) => orderMatters(call?.name ?? ''))) ordered.sort((a, b) => byCodeUnit(a.key, b.key));
  return ordered.flatMap(({ own }) => own);
}

/** Names of one run: what was generated in it, and under which number. */
class Renamer {
  readonly #literal: ReadonlySet<string>;
  readonly #clock: Trajectory['clock'];
  readonly #names = new Map<string, string>();
  readonly #written = new Set<string>();
  readonly #counts = new Map<string, number>();
  /** Whose step is being renamed. */
  #tool: string | undefined;
  /** Numbers that a clock wrote, and numbers that the model wrote. */
  readonly #readings = new Set<number>();
  readonly #writtenNumbers = new Set<number>();

  constructor(clock: Trajectory['clock'], request: TurnRequest | undefined) {
    this.#clock = clock;
    this.#literal = new Set(
      request === undefined ? [] : tokensIn([request.input ?? null, ...(request.messages ?? [])]),
    );
  }

  /** The step with every generated value renamed. Call it in order: the first occurrence decides. */
  rename(step: Step): Step {
    this.#tool = step.name;
    if (step.callId !== undefined) this.#generated({ text: step.callId, shape: 'call' });
    if (step.value === undefined) return step;
    const generates = step.kind === 'result' || step.kind === 'error';
    const value = mapLeaves(
      step.value,
      (text) => this.#renameIn(text, generates),
      (number) => this.#renameNumber(number, generates),
    );
    return value === step.value ? step : { ...step, value };
  }

  /** Any value with all volatile shapes replaced by their kind: what is left is the same in every run. */
  masked(value: Json): Json {
    return mapLeaves(
      value,
      (text) => replaceTokens(text, (token) => (this.#isVolatile(token) ? `<${token.shape}>` : token.text)),
      (number) => (this.#isClockNumber(number) ? '<time>' : number),
    );
  }

  #renameIn(text: string, generates: boolean): string {
    return replaceTokens(text, (token) => {
      const known = this.#names.get(token.text);
      if (known !== undefined) return known;
      if (!this.#isVolatile(token)) return token.text;
      if (generates && !this.#written.has(token.text)) return this.#generated(token);
      this.#written.add(token.text);
      return token.text;
    });
  }

  #renameNumber(number: number, generates: boolean): Json {
    if (generates && this.#isClockNumber(number) && !this.#writtenNumbers.has(number)) this.#readings.add(number);
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
    return name;
  }

  #isVolatile({ text, shape }: Token): boolean {
    if (this.#literal.has(text)) return false;
    return shape !== 'time' || this.#isClockTime(Date.parse(text.includes('T') ? text : text.replace(' ', 'T')));
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

/** Everything of volatile shape in a value. */
function tokensIn(value: Json): string[] {
  const tokens: string[] = [];
  const collect = (text: string): string =>
    replaceTokens(text, (token) => {
      tokens.push(token.text);
      return token.text;
    });
  mapLeaves(value, collect, (number) => number);
  return tokens;
}

function replaceTokens(text: string, replace: (token: Token) => string): string {
  // Nothing shorter has a volatile shape.
  if (text.length < 10) return text;
  return text.replace(TOKEN, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as { uuid?: string; time?: string };
    const shape = groups.uuid !== undefined ? 'uuid' : groups.time !== undefined ? 'time' : shapeOfWord(match);
    return shape === undefined ? match : replace({ text: match, shape });
  });
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
