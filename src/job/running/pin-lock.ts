import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/index.ts';
import { readTextFile } from '../../files/index.ts';
import { countPins, loadPins, type Pin } from '../../session/index.ts';
import { LEAST_RECORDINGS } from '../../shift/index.ts';
import { type CountedHabits, RecordedHabits } from '../../tracing/index.ts';
import { VERSION } from '../../version.ts';
import { timesRecorded } from '../judging/steady.ts';
import { writeOutput } from '../records/files.ts';
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

const FILE = 'pins.lock';

/** Of fewer pins, a shard reads each in less time than anybody notices. */
const LEAST_PINS = 200;

/** The first line: how `steady` was found out, and of which pins. */
const first = z.object({ lock: z.literal(1), rules: z.string(), telling: z.string() });

const count = z.number();
const habits = z.object({
  hidesTop: z.boolean(),
  leavesOpen: z.boolean(),
  actsUnasked: z.boolean(),
  modelCalls: z.object({ all: count, input: count, output: count }),
  tools: z.array(z.tuple([z.string(), z.object({ calls: count, observed: count, answered: count })])),
}) satisfies z.ZodType<CountedHabits>;

/** What all shards need to know of a pin. It follows from the file alone, except for `steady`. */
const lockedPin = z.object({
  path: z.string(),
  bytes: z.number(),
  /** SHA-256 of the file. */
  digest: z.string(),
  id: z.string(),
  title: z.string().optional(),
  agentId: z.string().optional(),
  /** How long each turn took when it was recorded; null: it cannot be replayed. */
  seconds: z.array(z.number().nullable()),
  /** How often runs recorded the turn that they recorded least often. */
  made: z.number(),
  /** Its agent does the same each time. */
  steady: z.boolean().optional(),
  habits,
});
type LockedPin = z.infer<typeof lockedPin>;

interface Lock {
  readonly first: z.infer<typeof first> | undefined;
  readonly pins: ReadonlyMap<string, LockedPin>;
}

/** Lines that are broken are left out, and so are those that contradict each other, as after a conflict of two branches. */
async function readLock(root: string): Promise<Lock | undefined> {
  const text = await readTextFile(path.join(root, FILE)).catch(() => undefined);
  if (text === undefined) return undefined;
  const firsts: Lock['first'][] = [];
  const byId = new Map<string, LockedPin | undefined>();
  for (const line of text.split('\n')) {
    const value = valueIn(line);
    const { data: pin } = lockedPin.safeParse(value);
    if (pin !== undefined) byId.set(pin.id, byId.has(pin.id) ? undefined : pin);
    else firsts.push(first.safeParse(value).data);
  }
  const pins = [...byId.values()].filter((pin) => pin !== undefined);
  const [begun, another] = firsts.filter((each) => each !== undefined);
  return { first: another === undefined ? begun : undefined, pins: new Map(pins.map((pin) => [pin.path, pin])) };
}

/** Its numbers are short, and of very many lines each counts. */
function valueIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
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
  /** Number of pins that had to be read though there is a lock. */
  stale = 0;

  private constructor(config: Config, lock: Lock | undefined) {
    this.#config = config;
    this.#agents = config.agent || config.agents ? configuredAgents(config) : [];
    this.#lock = lock;
  }

  /** @param isSame whether a file is as in its line. Default: if it has the same size */
  static async of(
    config: Config,
    selection: Selection,
    isSame: (file: string, line: LockedPin) => boolean = hasSameSize,
  ): Promise<{ survey: PinSurvey; read: Awaited<ReturnType<typeof loadPins>> }> {
    const lock = await readLock(config.root);
    const survey = new PinSurvey(config, lock);
    const read = await meantPins(config, selection, {
      known: (file) => {
        const line = lock?.pins.get(file);
        if (line === undefined || !isSame(path.join(config.root, file), line)) return undefined;
        survey.#pins.set(file, line);
        return withoutContent(line);
      },
      kept: (pin, text) => {
        if (lock !== undefined) survey.stale++;
        return withoutContent(survey.take(pin, text));
      },
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
      habits: new RecordedHabits(recordingsIn([pin])).counted,
    };
    this.#pins.set(pin.path, line);
    if (this.#config.gate === undefined && tells(line)) this.#telling.set(pin.path, pin);
    return line;
  }

  of(file: string): LockedPin | undefined {
    return this.#pins.get(file);
  }

  habits(): ReadonlyMap<string | undefined, RecordedHabits> {
    const habits = new Map(this.#agents.map(({ id }) => [id, new RecordedHabits()]));
    for (const line of this.#pins.values())
      habits.get(agentFor({ session: line }, this.#agents)?.id)?.absorb(line.habits);
    return habits;
  }

  /** Sessions whose agent does the same each time. If the lock does not say it of the same pins, those that tell are read. */
  async steady(): Promise<ReadonlySet<string>> {
    const { gate, root, maxPins } = this.#config;
    const lines = this.#lines().filter(tells);
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
    return [this.#first(), ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  #first(): z.infer<typeof first> {
    const { compare, overrides, tracing } = this.#config;
    const rules = {
      VERSION,
      compare,
      overrides,
      hasTraces: tracing.source !== 'none',
      agents: this.#agents.map(({ id }) => id),
    };
    const telling = this.#lines().filter(tells);
    return { lock: 1, rules: digestOf(rules), telling: digestOf(telling.map(({ digest }) => digest)) };
  }

  #lines(): LockedPin[] {
    return [...this.#pins.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

/** Writes `pins.lock` after pins have changed, where there are many or where it is already. */
export async function keepPinLock(config: Config): Promise<void> {
  const { root, sessions, maxPins } = config;
  const file = path.join(root, FILE);
  const before = await readTextFile(file).catch(() => undefined);
  if (before === undefined && (await countPins(sessions, { root, limits: { files: maxPins } })) < LEAST_PINS) return;
  const { survey } = await PinSurvey.of({ ...config, allowEmpty: true }, {}, hasSameContent);
  const text = await survey.lock();
  // Without it every shard reads all pins, which is slow and no mistake.
  if (text !== before) await writeOutput(file, text).catch(() => {});
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

/** Enough of a pin to plan with. */
function withoutContent({ path: file, id, title, agentId, seconds, made }: LockedPin): Pin {
  const baselines = Array.from({ length: made }, (_, index) => ({
    observations: [],
    made: { at: '', run: index + 1 },
  }));
  const turn = { recorded: { observations: [] }, baselines };
  return {
    path: file,
    session: { version: 1, stepsVersion: 1, id, title, agentId, turns: seconds.map(() => turn) },
    turns: seconds.map((each) => (each === null ? { ok: false, reason: '' } : { ok: true })),
    locate: () => undefined,
  };
}

/** What a call costs beside the agent's own work: the request, and its trace. */
export const LEAST_SECONDS = 0.1;

/** How long the recording of each turn took; null if it cannot be replayed. */
export function secondsOf({ session, turns }: Pick<Pin, 'session' | 'turns'>): (number | null)[] {
  return session.turns.map(({ recorded: { observations } }, index) => {
    if (!turns[index]?.ok) return null;
    const times = observations
      .flatMap((each) => [each.startTime, each.endTime ?? each.startTime])
      .map((time) => Date.parse(time))
      .sort((x, y) => x - y);
    return Math.max(LEAST_SECONDS, ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000);
  });
}
