import { hash } from 'node:crypto';
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../config/index.ts';
import { openFile, readTextFile } from '../../files/index.ts';
import { countPins, loadPins, type Pin } from '../../session/index.ts';
import { LEAST_RECORDINGS } from '../../shift/index.ts';
import { type CountedHabits, RecordedHabits } from '../../tracing/index.ts';
import { VERSION } from '../../version.ts';
import { timesRecorded } from '../judging/steady.ts';
import { PIN_LOCK, writeOutput } from '../records/files.ts';
import { digestOf } from '../records/recording-digest.ts';
import {
  agentFor,
  type ConfiguredAgent,
  configuredAgents,
  meantPins,
  recordingsIn,
  type Selection,
  steadyIn,
} from './plan.ts';

/** Of fewer pins, a shard reads each in less time than anybody notices. */
const LEAST_PINS = 200;

/** How lines begin. Another one for lines of another shape, so that no version believes what it would misread. */
const SHAPE = '3\t';

/** The first line: by which patterns the pins were found; how `steady` was found out, and of which of them. */
interface FirstLine {
  readonly patterns: readonly string[];
  readonly rules: string;
  readonly telling: string;
}

/** What a pin has in common with most others, so that it is read once. */
interface Kind {
  readonly agentId?: string | undefined;
  /** Whether each turn can be replayed. */
  readonly turns: readonly boolean[];
  /** How often runs recorded the turn that they recorded least often. */
  readonly made: number;
  /** Its agent does the same each time. */
  readonly steady?: boolean | undefined;
  readonly habits: CountedHabits;
}

/**
 * What all shards need to know of a pin, as a line: milliseconds, path, SHA-256 of the file, id, sum of its kind. It
 * follows from the file, except for `steady`. Of very many, nothing is kept that can be found again.
 */
export class PinLine {
  readonly text: string;
  readonly path: string;
  /** How long the recordings of its turns took. */
  readonly ms: number;
  readonly kind: Kind;

  constructor(text: string, path: string, ms: number, kind: Kind) {
    this.text = text;
    this.path = path;
    this.ms = ms;
    this.kind = kind;
  }

  get digest(): string {
    return this.#column(2);
  }

  get id(): string {
    return unescaped(this.#column(3));
  }

  /** Which pin it is, and what it holds. */
  get content(): string {
    const begin = this.text.indexOf('\t', SHAPE.length);
    return this.text.slice(begin, this.text.indexOf('\t', this.text.indexOf('\t', begin + 1) + 1));
  }

  #column(number: number): string {
    return this.text.split('\t', number + 2)[number + 1] ?? '';
  }
}

/** A line of its own, before the first pin that refers to it. The file is ASCII, which is read soonest. */
function valueLine(value: Kind | FirstLine): { readonly sum: string; readonly line: string } {
  const json = inAscii(JSON.stringify(value));
  const sum = sumOf(json);
  return { sum, line: `${SHAPE}${sum}\t${json}\n` };
}

function sumOf(json: string): string {
  return hash('sha256', json).slice(0, 16);
}

/** Lines are left out if they are not as they were written: pins of a kind that is not, too. */
class LineReader {
  readonly #kinds = new Map<string, Kind>();

  read(text: string): PinLine | FirstLine | undefined {
    if (!text.startsWith(SHAPE)) return undefined;
    const path = text.indexOf('\t', SHAPE.length) + 1;
    const end = text.indexOf('\t', path);
    if (end === -1) return this.#valueIn(text.slice(path), text.slice(SHAPE.length, path - 1));
    const kind = this.#kinds.get(text.slice(text.lastIndexOf('\t') + 1));
    const ms = Number(text.slice(SHAPE.length, path - 1));
    return kind && ms > 0 ? new PinLine(text, unescaped(text.slice(path, end)), ms, kind) : undefined;
  }

  #valueIn(json: string, sum: string): FirstLine | undefined {
    if (sumOf(json) !== sum) return undefined;
    const value: FirstLine | Kind = JSON.parse(json);
    if ('patterns' in value) return value;
    this.#kinds.set(sum, value);
    return undefined;
  }
}

function inAscii(json: string): string {
  return json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function escaped(text: string): string {
  return inAscii(JSON.stringify(text).slice(1, -1));
}

function unescaped(text: string): string {
  return text.includes('\\') ? JSON.parse(`"${text}"`) : text;
}

interface Lock {
  readonly first: FirstLine | undefined;
  readonly pins: readonly PinLine[];
}

/** Lines that are broken are left out. After a conflict of two branches there may be two first lines. */
async function readLock(root: string): Promise<Lock | undefined> {
  await using handle = await openFile(path.join(root, PIN_LOCK)).catch(() => undefined);
  if (handle === undefined) return undefined;
  const reader = new LineReader();
  const firsts: FirstLine[] = [];
  const pins: PinLine[] = [];
  for (const line of readFileSync(handle.fd, 'latin1').split('\n')) {
    const value = reader.read(line);
    if (value === undefined) continue;
    if (value instanceof PinLine) pins.push(value);
    else firsts.push(value);
  }
  const [first, ...others] = firsts;
  const isSame = others.every(({ patterns }) => isDeepStrictEqual(patterns, first?.patterns));
  return { first: isSame && first ? { ...first, ...(others.length > 0 && { telling: '' }) } : undefined, pins };
}

/** The files that lines tell of, while folders are listed. */
class KnownFiles {
  readonly #root: string;
  readonly #unseen = new Set<string>();
  /** Of which two lines tell, as after a conflict. */
  readonly #doubted = new Set<string>();

  constructor(root: string, pins: readonly PinLine[]) {
    this.#root = root;
    for (const { path: file } of pins) (this.#unseen.has(file) ? this.#doubted : this.#unseen).add(file);
  }

  /** What is in a folder, without the files that one line tells of; undefined if it cannot be listed. */
  others(folder: string): Dirent[] | undefined {
    const place = path.join(this.#root, folder);
    const inRoot = folder === '' ? '' : `${folder}/`;
    const isOther = (name: string) => !this.#unseen.delete(inRoot + name) || this.#doubted.has(inRoot + name);
    try {
      const others = new Set(readdirSync(place).filter(isOther));
      return others.size === 0
        ? []
        : readdirSync(place, { withFileTypes: true }).filter(({ name }) => others.has(name));
    } catch {
      return undefined;
    }
  }

  /** Those of files that were seen, when all folders have been listed. */
  there(pins: readonly PinLine[]): readonly PinLine[] {
    const isWhole = this.#unseen.size + this.#doubted.size === 0;
    return isWhole ? pins : pins.filter(({ path: file }) => !this.#unseen.has(file) && !this.#doubted.has(file));
  }
}

/** What is known of the pins without reading those that `pins.lock` tells of. */
export class PinSurvey {
  readonly #config: Config;
  readonly #agents: readonly ConfiguredAgent[];
  readonly #lock: Lock | undefined;
  /** Of the pins that were read, by their text. */
  readonly #kinds = new Map<string, Kind>();
  /** As the lock says. */
  #locked: readonly PinLine[] = [];
  /** Those that were read and are not as the lock says, by path. */
  readonly #taken = new Map<string, PinLine>();
  /** Those that were read, and tell whether an agent is steady. */
  readonly #telling = new Map<string, Pin>();

  private constructor(config: Config, lock: Lock | undefined) {
    this.#config = config;
    this.#agents = config.agent || config.agents ? configuredAgents(config) : [];
    this.#lock = lock;
  }

  /**
   * Lines are believed, also if their file has changed: who replays a pin reads it, and then {@link take} tells. Where
   * pins are chosen by what they hold, all are read.
   * @param isSame whether a file is as in its line. Default: it is
   */
  static async of(
    config: Config,
    selection: Selection,
    isSame?: (line: PinLine) => boolean,
  ): Promise<{ survey: PinSurvey; read: Awaited<ReturnType<typeof loadPins>> }> {
    const lock = await readLock(config.root);
    const patterns = selection.patterns?.length ? selection.patterns : [config.sessions].flat();
    if (lock && selection.grep === undefined && isDeepStrictEqual(lock.first?.patterns, patterns)) {
      const pins = isSame ? lock.pins.filter(isSame) : lock.pins;
      const survey = new PinSurvey(config, lock);
      const known = new KnownFiles(config.root, pins);
      const read = await survey.#read(selection, known);
      const there = known.there(pins);
      survey.#locked = read.pins.length === 0 ? there : there.filter((pin) => !survey.#taken.has(pin.path));
      const { length } = survey.lines();
      // Whatever is wrong is found by reading all of them.
      if (length > 0 && length <= config.maxPins && !survey.#hasTwice(read.pins)) return { survey, read };
    }
    const survey = new PinSurvey(config, undefined);
    return { survey, read: await survey.#read(selection) };
  }

  #read(selection: Selection, known?: KnownFiles): ReturnType<typeof loadPins> {
    const kept = (pin: Pin, text: string) => new PinWithoutContent(this.take(pin, text), pin.session.title);
    if (known === undefined) return meantPins(this.#config, selection, { kept });
    const others = (folder: string) => known.others(folder);
    return meantPins({ ...this.#config, allowEmpty: true }, selection, { kept, others });
  }

  /** Whether a pin that was read has the id of another, in any form. */
  #hasTwice(pins: readonly Pin[]): boolean {
    const form = (id: string) => id.normalize('NFC').toLowerCase();
    const ids = new Set(pins.map(({ session }) => form(session.id)));
    return ids.size > 0 && this.#locked.some((pin) => ids.has(form(pin.id)));
  }

  /** Number of pins that are not as the lock says. */
  get stale(): number {
    return this.#lock === undefined ? 0 : this.#taken.size;
  }

  /** Their paths. */
  taken(): string[] {
    return [...this.#taken.keys()];
  }

  /** Takes a pin as it is now. @param before as it was planned with */
  take(pin: Pin, text: string, before?: PinLine): PinLine {
    const { id, agentId } = pin.session;
    const kind = {
      agentId,
      turns: pin.turns.map(({ ok }) => ok),
      made: timesRecorded(pin),
      habits: new RecordedHabits(recordingsIn([pin])).counted,
    };
    const digest = hash('sha256', text);
    const columns = [millisecondsOf(pin), escaped(pin.path), digest, escaped(id), ''];
    const line = new PinLine(`${SHAPE}${columns.join('\t')}`, pin.path, columns[0] as number, this.#same(kind));
    if (this.#config.gate === undefined && tells(line)) this.#telling.set(pin.path, pin);
    if (before !== undefined && before.content === line.content) return before;
    this.#taken.set(pin.path, line);
    return line;
  }

  #same(kind: Kind): Kind {
    const text = JSON.stringify(kind);
    const same = this.#kinds.get(text) ?? kind;
    this.#kinds.set(text, same);
    return same;
  }

  /** In order. */
  lines(): readonly PinLine[] {
    const taken = this.#taken;
    if (taken.size === 0) return this.#locked;
    const locked = this.#locked.filter((pin) => !taken.has(pin.path));
    return [...locked, ...taken.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  pins(): Pin[] {
    return this.lines().map((line) => new PinWithoutContent(line));
  }

  #kindsOfAll(): ReadonlySet<Kind> {
    const kinds = new Set<Kind>();
    let last: Kind | undefined;
    for (const { kind } of this.lines()) {
      if (kind !== last) kinds.add(kind);
      last = kind;
    }
    return kinds;
  }

  habits(): ReadonlyMap<string | undefined, RecordedHabits> {
    const habits = new Map(this.#agents.map(({ id }) => [id, new RecordedHabits()]));
    // What is always so for one pin of a kind is so for all of them.
    for (const kind of this.#kindsOfAll())
      habits.get(agentFor({ session: kind }, this.#agents)?.id)?.absorb(kind.habits);
    return habits;
  }

  /** Sessions whose agent does the same each time. If the lock does not say it of the same pins, those that tell are read. */
  async steady(): Promise<ReadonlySet<string>> {
    const { gate, root, maxPins } = this.#config;
    const lines = gate === undefined ? this.lines().filter(tells) : [];
    if (lines.length === 0) return new Set();
    const { rules, telling } = this.#first();
    if (this.#lock?.first?.rules === rules && this.#lock.first.telling === telling) {
      return new Set(lines.flatMap(({ id, kind }) => (kind.steady ? id : [])));
    }
    const unread = lines.flatMap(({ path: file }) => (this.#telling.has(file) ? [] : file));
    const { pins } = unread.length === 0 ? { pins: [] } : await loadPins(unread, { root, limits: { files: maxPins } });
    const all = new Map([...this.#telling, ...pins.map((pin) => [pin.path, pin] as const)]);
    const known = lines.flatMap(({ path: file }) => all.get(file) ?? []);
    return steadyIn(known, known, this.#config, this.#agents);
  }

  /** The text of `pins.lock`. */
  async lock(): Promise<string> {
    const steady = await this.steady();
    const written = new Set<string>();
    const lines = this.lines().map(({ text, id, kind }) => {
      const { sum, line } = valueLine({ ...kind, steady: steady.has(id) || undefined });
      const isFirst = !written.has(sum);
      written.add(sum);
      return `${isFirst ? line : ''}${text.slice(0, text.lastIndexOf('\t') + 1)}${sum}\n`;
    });
    return [valueLine(this.#first()).line, ...lines].join('');
  }

  #first(): FirstLine {
    const { compare, overrides, tracing } = this.#config;
    const rules = {
      VERSION,
      compare,
      overrides,
      hasTraces: tracing.source !== 'none',
      agents: this.#agents.map(({ id }) => id),
    };
    return {
      patterns: [this.#config.sessions].flat(),
      rules: digestOf(rules),
      telling: digestOf(
        this.lines()
          .filter(tells)
          .map((line) => line.digest),
      ),
    };
  }
}

/** Writes `pins.lock` after pins have changed, where there are many or where it is already. */
export async function keepPinLock(config: Config): Promise<void> {
  const { root, sessions, maxPins } = config;
  const file = path.join(root, PIN_LOCK);
  const before = await readTextFile(file).catch(() => undefined);
  if (before === undefined && (await countPins(sessions, { root, limits: { files: maxPins } })) < LEAST_PINS) return;
  const hasSameContent = (line: PinLine) => {
    const pin = path.join(root, line.path);
    return existsSync(pin) && hash('sha256', readFileSync(pin)) === line.digest;
  };
  const { survey } = await PinSurvey.of({ ...config, allowEmpty: true }, {}, hasSameContent);
  const text = await survey.lock();
  // Without it every shard reads all pins, which is slow and no mistake.
  if (text !== before) await writeOutput(file, text).catch(() => {});
}

/** Without the lines of pins that have changed: those are read until somebody keeps it. @param text of `pins.lock` */
export async function pinLockWithout(text: string, changed: ReadonlySet<string>): Promise<string> {
  const reader = new LineReader();
  const isKept = (line: string) => {
    const value = reader.read(line);
    return value === undefined || !(value instanceof PinLine && changed.has(value.path));
  };
  return text.split('\n').filter(isKept).join('\n');
}

/** Whether it says something of how its agent varies. */
function tells({ kind }: PinLine): boolean {
  return kind.made >= LEAST_RECORDINGS;
}

/** Enough of a pin to plan with. There may be very many, so what nobody asks for is not made. */
export class PinWithoutContent implements Pin {
  readonly #line: PinLine;
  readonly #title: string | undefined;

  constructor(line: PinLine, title?: string) {
    this.#line = line;
    this.#title = title;
  }

  get path() {
    return this.#line.path;
  }

  get session() {
    const { agentId, made, turns } = this.#line.kind;
    const baselines = Array.from({ length: made }, (_, index) => ({
      observations: [],
      made: { at: '', run: index + 1 },
    }));
    const turn = { recorded: { observations: [] }, baselines };
    const told = { id: this.#line.id, title: this.#title, agentId };
    return { version: 1, stepsVersion: 1, ...told, turns: turns.map(() => turn) } as const;
  }

  get turns(): Pin['turns'] {
    return this.#line.kind.turns.map((ok) => (ok ? { ok } : { ok, reason: '' }));
  }

  locate() {
    return undefined;
  }
}

/** What a call costs beside the agent's own work: the request, and its trace. */
export const LEAST_MS = 100;

/** How long the recordings of the turns took that can be replayed. */
export function millisecondsOf({ session, turns }: Pin): number {
  const took = session.turns.map(({ recorded: { observations } }, index) => {
    if (!turns[index]?.ok) return 0;
    const times = observations
      .flatMap((each) => [each.startTime, each.endTime ?? each.startTime])
      .map((time) => Date.parse(time))
      .sort((x, y) => x - y);
    return Math.max(LEAST_MS, (times.at(-1) ?? 0) - (times[0] ?? 0));
  });
  return took.reduce((sum, ms) => sum + ms, 0) || LEAST_MS;
}
