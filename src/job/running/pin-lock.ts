import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import type { Config } from '../../config/index.ts';
import { readTextFile } from '../../files/index.ts';
import { byName } from '../../json/index.ts';
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

/** Another one for lines of another shape, so that no version believes what it would misread. */
const SHAPE = '2:';

/** The first line: by which patterns the pins were found; how `steady` was found out, and of which of them. */
interface FirstLine {
  readonly patterns: readonly string[];
  readonly rules: string;
  readonly telling: string;
  readonly habits: '';
}

/** What all shards need to know of a pin. It follows from the file alone, except for `steady`. */
interface LockedPin {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the file. */
  readonly digest: string;
  readonly id: string;
  readonly title?: string | undefined;
  readonly agentId?: string | undefined;
  /** How long each turn took when it was recorded; null: it cannot be replayed. */
  readonly seconds: readonly (number | null)[];
  /** How often runs recorded the turn that they recorded least often. */
  readonly made: number;
  /** Its agent does the same each time. */
  readonly steady?: boolean | undefined;
  /** A {@link CountedHabits} as JSON: most pins have one in common with others, which is read once. */
  readonly habits: string;
}

interface Lock {
  readonly first: FirstLine | undefined;
  readonly pins: ReadonlyMap<string, LockedPin>;
}

/** Lines that are broken are left out, and so are those that contradict each other, as after a conflict of two branches. */
async function readLock(root: string): Promise<Lock | undefined> {
  const text = await readTextFile(path.join(root, PIN_LOCK)).catch(() => undefined);
  if (text === undefined) return undefined;
  const firsts: FirstLine[] = [];
  const byId = new Map<string, LockedPin | undefined>();
  for (const line of text.split('\n')) {
    const value = valueIn(line);
    if (value === undefined) continue;
    if ('path' in value) byId.set(value.id, byId.has(value.id) ? undefined : value);
    else firsts.push(value);
  }
  const pins = new Map<string, LockedPin>();
  for (const pin of byId.values()) if (pin !== undefined) pins.set(pin.path, pin);
  return { first: firsts.length === 1 ? firsts[0] : undefined, pins };
}

/** Undefined if a line is not as {@link lineOf} wrote it: of very many, a sum is checked sooner than each value. */
function valueIn(line: string): LockedPin | FirstLine | undefined {
  const [begin, middle] = [line.indexOf('\t'), line.lastIndexOf('\t')];
  if (!line.startsWith(sumOf(line.slice(begin)))) return undefined;
  const value = JSON.parse(line.slice(begin, middle));
  value.habits = line.slice(middle + 1);
  return value;
}

function lineOf({ habits, ...value }: LockedPin | FirstLine): string {
  const text = `\t${JSON.stringify(value)}\t${habits}`;
  return `${sumOf(text)}${text}\n`;
}

function sumOf(text: string): string {
  return SHAPE + crc32(text);
}

/** What is known of the pins without reading those that are as in `pins.lock`. */
export class PinSurvey {
  readonly #config: Config;
  readonly #agents: readonly ConfiguredAgent[];
  readonly #lock: Lock | undefined;
  /** By path. */
  readonly #pins = new Map<string, LockedPin>();
  /** Those that were read, and tell whether an agent is steady. */
  readonly #telling = new Map<string, Pin>();
  /** Number of pins that are not as the lock says. */
  stale = 0;

  private constructor(config: Config, lock: Lock | undefined) {
    this.#config = config;
    this.#agents = config.agent || config.agents ? configuredAgents(config) : [];
    this.#lock = lock;
  }

  /**
   * @param isSame whether a file is as in its line. Default: it has its size; asked of all pins if a part of them is
   * chosen by what they hold, else only of those that others are judged by, since a shard reads its own anyway
   */
  static async of(
    config: Config,
    selection: Selection,
    isSame: (file: string, line: LockedPin) => boolean = (file, line) =>
      (isWhole(selection) && !tells(line)) || hasSameSize(file, line),
  ): Promise<{ survey: PinSurvey; read: Awaited<ReturnType<typeof loadPins>> }> {
    const lock = await readLock(config.root);
    const survey = new PinSurvey(config, lock);
    const patterns = selection.patterns?.length ? selection.patterns : [config.sessions].flat();
    const isSameSearch = isDeepStrictEqual(lock?.first?.patterns, patterns);
    const read = await meantPins(config, selection, {
      listed: isSameSearch ? new Set(lock?.pins.keys()) : undefined,
      known: (file) => {
        const line = lock?.pins.get(file);
        if (line === undefined || !isSame(`${config.root}/${file}`, line)) return undefined;
        survey.#pins.set(file, line);
        return new PinWithoutContent(line);
      },
      kept: (pin, text) => new PinWithoutContent(survey.take(pin, text)),
    });
    return { survey, read };
  }

  /** Takes a pin as it is now. */
  take(pin: Pin, text: string): LockedPin {
    const { id, title, agentId } = pin.session;
    const line = {
      path: pin.path,
      bytes: Buffer.byteLength(text),
      digest: hash('sha256', text),
      id,
      title,
      agentId,
      seconds: secondsOf(pin),
      made: timesRecorded(pin),
      habits: JSON.stringify(new RecordedHabits(recordingsIn([pin])).counted),
    };
    if (this.#lock !== undefined && (this.#pins.get(pin.path) ?? this.#lock.pins.get(pin.path))?.digest !== line.digest)
      this.stale++;
    this.#pins.set(pin.path, line);
    if (this.#config.gate === undefined && tells(line)) this.#telling.set(pin.path, pin);
    return line;
  }

  of(file: string): LockedPin | undefined {
    return this.#pins.get(file);
  }

  habits(): ReadonlyMap<string | undefined, RecordedHabits> {
    const habits = new Map(this.#agents.map(({ id }) => [id, new RecordedHabits()]));
    const counted = new Map<string, CountedHabits>();
    for (const line of this.#pins.values()) {
      const known = counted.get(line.habits) ?? JSON.parse(line.habits);
      counted.set(line.habits, known);
      habits.get(agentFor({ session: line }, this.#agents)?.id)?.absorb(known);
    }
    return habits;
  }

  /** Sessions whose agent does the same each time. If the lock does not say it of the same pins, those that tell are read. */
  async steady(): Promise<ReadonlySet<string>> {
    const { gate, root, maxPins } = this.#config;
    const lines = this.#lines(tells);
    if (gate !== undefined || lines.length === 0) return new Set();
    const { rules, telling } = this.#first();
    if (this.#lock?.first?.rules === rules && this.#lock.first.telling === telling) {
      return new Set(lines.flatMap(({ id, path: file }) => (this.#lock?.pins.get(file)?.steady ? id : [])));
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
    const lines = this.#lines().map((line) => ({ ...line, steady: steady.has(line.id) || undefined }));
    return [this.#first(), ...lines].map(lineOf).join('');
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
    const telling = this.#lines(tells);
    return {
      patterns: [this.#config.sessions].flat(),
      rules: digestOf(rules),
      telling: digestOf(telling.map(({ digest }) => digest)),
      habits: '',
    };
  }

  #lines(isMeant: (line: LockedPin) => boolean = () => true): LockedPin[] {
    return [...this.#pins.values()].filter(isMeant).sort((a, b) => byName(a.path, b.path));
  }
}

/** Writes `pins.lock` after pins have changed, where there are many or where it is already. */
export async function keepPinLock(config: Config): Promise<void> {
  const { root, sessions, maxPins } = config;
  const file = path.join(root, PIN_LOCK);
  const before = await readTextFile(file).catch(() => undefined);
  if (before === undefined && (await countPins(sessions, { root, limits: { files: maxPins } })) < LEAST_PINS) return;
  const { survey } = await PinSurvey.of({ ...config, allowEmpty: true }, {}, hasSameContent);
  const text = await survey.lock();
  // Without it every shard reads all pins, which is slow and no mistake.
  if (text !== before) await writeOutput(file, text).catch(() => {});
}

/** Without the lines of pins that have changed: those are read until somebody keeps it. @param text of `pins.lock` */
export async function pinLockWithout(text: string, changed: ReadonlySet<string>): Promise<string> {
  const isKept = (line: string) => {
    const value = valueIn(line);
    return value === undefined || !('path' in value && changed.has(value.path));
  };
  return text.split('\n').filter(isKept).join('\n');
}

/** Whether no pin is left out because of what it holds. */
function isWhole({ grep, turn }: Selection): boolean {
  return grep === undefined && turn === undefined;
}

/** Whether it says something of how its agent varies. */
function tells({ made }: LockedPin): boolean {
  return made >= LEAST_RECORDINGS;
}

function hasSameSize(file: string, { bytes }: LockedPin): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === bytes;
}

function hasSameContent(file: string, line: LockedPin): boolean {
  return hasSameSize(file, line) && hash('sha256', readFileSync(file)) === line.digest;
}

/** Enough of a pin to plan with. There may be very many, so what nobody asks for is not made. */
class PinWithoutContent implements Pin {
  readonly #line: LockedPin;

  constructor(line: LockedPin) {
    this.#line = line;
  }

  get path() {
    return this.#line.path;
  }

  get session() {
    const { id, title, agentId, made, seconds } = this.#line;
    const baselines = Array.from({ length: made }, (_, index) => ({
      observations: [],
      made: { at: '', run: index + 1 },
    }));
    const turn = { recorded: { observations: [] }, baselines };
    return { version: 1, stepsVersion: 1, id, title, agentId, turns: seconds.map(() => turn) } as const;
  }

  get turns(): Pin['turns'] {
    return this.#line.seconds.map((each) => (each === null ? { ok: false, reason: '' } : { ok: true }));
  }

  locate() {
    return undefined;
  }
}

/** What a call costs beside the agent's own work: the request, and its trace. */
export const LEAST_SECONDS = 0.1;

/** How long the recording of each turn took; null if it cannot be replayed. */
export function secondsOf({ session, turns }: Pin): (number | null)[] {
  return session.turns.map(({ recorded: { observations } }, index) => {
    if (!turns[index]?.ok) return null;
    const times = observations
      .flatMap((each) => [each.startTime, each.endTime ?? each.startTime])
      .map((time) => Date.parse(time))
      .sort((x, y) => x - y);
    return Math.max(LEAST_SECONDS, ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000);
  });
}
