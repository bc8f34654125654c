import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type Json, JsonError, jsonObject, parseJson, type Recording, recording } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import { behaviourDigest, behaviourOf } from './behaviour.ts';
import type { ReplayResult } from './result.ts';

/** Version of the journal's format. A file with a higher one is not read. */
const JOURNAL_VERSION = 1;

/** First line: what the results belong to. */
const header = z.object({
  type: z.literal('journal'),
  version: z.literal(JOURNAL_VERSION),
  /** Version of agent-replay. */
  tool: z.string(),
  startedAt: z.iso.datetime(),
  /** The settings under which results are compared; journals with others cannot be pooled. */
  rules: jsonObject,
  /** What was to be replayed: `runs` times each of these. */
  runs: z.int().positive(),
  sessions: z.array(z.object({ id: z.string(), turns: z.array(z.int().positive()) })),
});
export type JournalHeader = Omit<z.infer<typeof header>, 'type' | 'version'>;

/** Comes before the first result that refers to it. */
const behaviour = z.object({ type: z.literal('behaviour'), digest: z.string(), recording });

const resultLine = z.object({
  type: z.literal('result'),
  session: z.string(),
  turn: z.int().positive(),
  run: z.int().positive(),
  outcome: z.enum(['replayed', 'inconclusive']),
  replayRunId: z.string(),
  attempts: z.int().positive(),
  callMs: z.number().optional(),
  traceMs: z.number().optional(),
  /** Of this run's own trace; the recording's is that of the first run that behaved so. */
  traceId: z.string().optional(),
  response: z.object({ status: z.int(), digest: z.string() }).optional(),
  behaviour: z.string().optional(),
  error: z
    .object({ code: z.string(), message: z.string(), evidence: z.array(z.string()), hint: z.string().optional() })
    .optional(),
});

/** Last line: nothing is missing. */
const end = z.object({ type: z.literal('end'), results: z.int().nonnegative() });

const line = z.discriminatedUnion('type', [header, behaviour, resultLine, end]);

/** A finished replay, as a journal holds it. */
type JournalledResult = Omit<z.infer<typeof resultLine>, 'behaviour'> & {
  /** Undefined when it is inconclusive. Runs that behaved alike share one object. */
  readonly recording: Recording | undefined;
};
export type JournalEntry = z.infer<typeof header> | JournalledResult | z.infer<typeof end>;

export interface JournalOptions {
  /** Told once when the file cannot be written (`OUTPUT_NOT_WRITABLE`); from then on nothing is, and nothing else fails. */
  readonly onError: (error: AgentReplayError) => void;
  /** What may be kept of a behaviour. */
  readonly redactRecording?: ((recording: Recording, result: ReplayResult) => Recording) | undefined;
  /** Applied to each line; what it puts in must not need escaping in JSON. */
  readonly redactText?: ((text: string) => string) | undefined;
}

/** Keeps finished results on disk, so that a crash loses none. Closed with `await using`. */
export interface Journal extends AsyncDisposable {
  /** Takes one result. Resolves when there is room for the next; never rejects. */
  write(result: ReplayResult): Promise<void>;
  /** Marks the journal as whole and closes it. Without it, disposing leaves a journal that was cut. */
  end(): Promise<void>;
}

/** Lines wait for the disk up to this many characters; then whoever writes waits too. */
const MAX_WAITING_CHARS = 4 * 1024 ** 2;

/** Starts a journal; one that is there is replaced. Never rejects: see {@link JournalOptions.onError}. */
export async function openJournal(file: string, about: JournalHeader, options: JournalOptions): Promise<Journal> {
  const { redactRecording = (kept) => kept, redactText = (text) => text } = options;
  const log = await LineFile.open(file, options.onError);
  const known = new Set<string>();
  let results = 0;
  const put = (entry: z.infer<typeof line>): void => log.add(`${redactText(JSON.stringify(entry))}\n`);
  put({ type: 'journal', version: JOURNAL_VERSION, ...about });
  return {
    write: async (result) => {
      const { session, turn, run, outcome, replayRunId, attempts, callMs, traceMs } = result;
      const full = outcome.kind === 'replayed' ? behaviourOf(outcome) : undefined;
      const kept = full && redactRecording(full, result);
      const digest = kept && behaviourDigest(kept);
      if (kept !== undefined && digest !== undefined && !known.has(digest)) {
        known.add(digest);
        put({ type: 'behaviour', digest, recording: kept });
      }
      put({
        type: 'result',
        session,
        turn,
        run,
        outcome: outcome.kind,
        replayRunId,
        attempts,
        callMs,
        traceMs,
        traceId: kept?.traceId,
        behaviour: digest,
        ...(outcome.kind === 'inconclusive'
          ? { error: asProblem(outcome.error) }
          : { response: outcome.response ?? undefined }),
      });
      results++;
      if (log.waitingChars > MAX_WAITING_CHARS) await log.flushed();
    },
    end: async () => {
      put({ type: 'end', results });
      await log.close();
    },
    [Symbol.asyncDispose]: () => log.close(),
  };
}

/**
 * Reads a journal back: its header, its results with what they did, and its end, which a journal that was cut has not.
 * A last line that is not whole is left out.
 * @throws AgentReplayError `INPUT_INVALID` with the line
 */
export async function* readJournal(file: string): AsyncGenerator<JournalEntry, void, undefined> {
  const behaviours = new Map<string, Recording>();
  let number = 0;
  for await (const text of linesOf(file)) {
    number++;
    const entry = readLine(text, { file, line: number });
    if (number === 1 && entry.type !== 'journal') throw invalid({ file, line: 1 }, 'it does not begin as a journal');
    if (entry.type === 'behaviour') {
      behaviours.set(entry.digest, entry.recording);
    } else if (entry.type === 'result') {
      const { behaviour: digest, ...rest } = entry;
      const known = digest === undefined ? undefined : behaviours.get(digest);
      if (digest !== undefined && known === undefined) {
        throw invalid({ file, line: number }, 'it refers to a behaviour that is not there');
      }
      yield { ...rest, recording: known };
    } else {
      yield entry;
    }
  }
}

interface Place {
  readonly file: string;
  readonly line: number;
}

function readLine(text: string, place: Place): z.infer<typeof line> {
  try {
    const value = parseJson(text);
    const { data, error } = line.safeParse(value);
    if (data !== undefined) return data;
    if (isNewer(value)) throw invalid(place, 'it was written by a newer version of agent-replay');
    throw invalid(
      place,
      error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; '),
    );
  } catch (error) {
    if (error instanceof JsonError) throw invalid(place, error.message);
    throw error;
  }
}

function isNewer(value: Json): boolean {
  const { type, version } = Object(value) as { type?: Json; version?: Json };
  return type === 'journal' && typeof version === 'number' && version > JOURNAL_VERSION;
}

function invalid(location: Place, reason: string): AgentReplayError {
  return new AgentReplayError('INPUT_INVALID', `${path.basename(location.file)} is not a journal that can be read.`, {
    evidence: [reason],
    hint: 'Take the journal as agent-replay wrote it, and the same version of agent-replay or a newer one.',
    location,
  });
}

/** Whole lines only. Not `readline`, which breaks lines at U+2028 as well. */
async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  const parts: string[] = [];
  try {
    for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
      let from = 0;
      for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
        parts.push(chunk.slice(from, at));
        yield parts.join('');
        parts.length = 0;
        from = at + 1;
      }
      parts.push(chunk.slice(from));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw invalid({ file, line: 1 }, (error as Error).message);
  }
}

function asProblem({ code, message, evidence, hint }: AgentReplayError): z.infer<typeof resultLine>['error'] {
  return { code, message, evidence: [...evidence], hint };
}

/** Appends lines in order; those that come while the disk is busy go together. */
class LineFile {
  readonly #file: string;
  readonly #onError: (error: AgentReplayError) => void;
  #handle: FileHandle | undefined;
  #waiting: string[] = [];
  #flushing: Promise<void> | undefined;
  waitingChars = 0;

  private constructor(file: string, onError: (error: AgentReplayError) => void) {
    this.#file = file;
    this.#onError = onError;
  }

  static async open(file: string, onError: (error: AgentReplayError) => void): Promise<LineFile> {
    const opened = new LineFile(file, onError);
    try {
      await mkdir(path.dirname(file), { recursive: true });
      opened.#handle = await open(file, 'w');
    } catch (error) {
      opened.#fail(error);
    }
    return opened;
  }

  add(text: string): void {
    if (this.#handle === undefined) return;
    this.#waiting.push(text);
    this.waitingChars += text.length;
    this.#flushing ??= this.#flush();
  }

  async flushed(): Promise<void> {
    await this.#flushing;
  }

  async close(): Promise<void> {
    await this.#flushing;
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch((error: unknown) => this.#fail(error));
  }

  async #flush(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const text = this.#waiting.join('');
        this.#waiting = [];
        this.waitingChars = 0;
        await this.#handle?.appendFile(text);
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#flushing = undefined;
  }

  /** A result must not depend on the disk: it is said once, and nothing more is written. */
  #fail(error: unknown): void {
    const handle = this.#handle;
    this.#handle = undefined;
    this.#waiting = [];
    this.waitingChars = 0;
    handle?.close().catch(() => {});
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    this.#onError(
      new AgentReplayError('OUTPUT_NOT_WRITABLE', `The journal ${this.#file} could not be written (${code}).`, {
        location: { file: this.#file },
        hint: 'Check that the disk has room and the folder can be written to, or choose another with --output-dir.',
        cause: error,
      }),
    );
  }
}
