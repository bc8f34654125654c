import { createHash } from 'node:crypto';
import path from 'node:path';
import { inspect } from 'node:util';
import { z } from 'zod';
import { endingIn, unlessEnded } from '../../bounded/index.ts';
import { type CompareRules, judgeAnswer, mayBeJudged, ownSentences, pricedAnswer } from '../../compare/index.ts';
import { OUR_FOLDER, readTextFile, replaceFile } from '../../files/index.ts';
import { type Json, jsonIn, present } from '../../json/index.ts';
import type { Report, SessionResult } from '../../report/index.ts';
import { makeOutputFolder, PRIVATE_FILE } from '../records/output-folder.ts';

type Judge = NonNullable<CompareRules['judge']>;
type Judgement = NonNullable<SessionResult['turns'][number]['judgements']>[number];

/** Two redacted texts of a turn that the judge has not been asked about. */
export interface JudgeTexts {
  readonly session: string;
  /** From 1. */
  readonly turn: number;
  readonly request: Json;
  readonly recorded: string;
  readonly replayed: string;
  /** Where they stand, as a path. */
  readonly place: string;
  readonly runs: readonly number[];
}

/** What the judge was asked and paid, which what it had said before spares. */
export type JudgeUsage = NonNullable<Report['evidence']['usage']['judge']>;

export type Judged = Omit<JudgeTexts, 'request' | 'place'> &
  Pick<Judgement, 'said' | 'why' | 'place'> & { readonly usage?: JudgeUsage | undefined };

interface AskingOptions {
  /** Of the project; the judge's answers are cached there. */
  readonly root: string;
  readonly signal?: AbortSignal;
  /** Redacts a failing judge's message. */
  readonly redact: (text: string) => string;
}

/** Relative to the root, and never where pins are. */
const KEPT_IN = path.join(OUR_FOLDER, 'judge');
const AT_ONCE = 4;
const MAX_WHY_CHARS = 300;

/**
 * Asks the user's judge within its limits: a total number of calls, a time for each, and each text in both orders. If the
 * judge cannot tell, the answer is `unsure`, with the reason. Answers about the same texts by the same version are cached.
 */
export class AskedJudge {
  readonly #judge: Judge;
  readonly #options: AskingOptions;
  #calls = 0;

  constructor(judge: Judge, options: AskingOptions) {
    this.#judge = judge;
    this.#options = options;
  }

  /** Never rejects. Equal questions give equal answers: if not all may be asked, the first ones are. */
  async ask(questions: readonly JudgeTexts[]): Promise<Judged[]> {
    const judged: Judged[] = [];
    for (let at = 0; at < questions.length; at += AT_ONCE) {
      const some = questions.slice(at, at + AT_ONCE);
      const ways = await Promise.all(some.map((each) => this.#ways(each)));
      // The limit follows the order of the questions, not the order in which cached files are read.
      const answers = ways.map((each) => each.map((way) => this.#answer(way)));
      for (const [index, { request: _, ...told }] of some.entries()) {
        const said = await Promise.all(answers[index] ?? []);
        judged.push({ ...told, ...together(said), ...present({ usage: sumOfUsage(said.map(usageOf)) }) });
      }
    }
    return judged;
  }

  #ways(question: JudgeTexts): Promise<Way[]> {
    const ways = this.#judge.bothWays ? [question, exchanged(question)] : [question];
    return Promise.all(
      ways.map(async (way) => {
        const file = path.join(this.#options.root, KEPT_IN, `${this.#keyOf(way)}.json`);
        return { question: way, file, kept: await keptIn(file) };
      }),
    );
  }

  #answer({ question, file, kept }: Way): Promise<Answer> | Answer {
    if (!mayBeJudged(question.recorded, question.replayed)) {
      return { said: 'unsure', why: 'a number, id, date or quotation has moved: the judge is never asked about that' };
    }
    if (kept !== undefined) return { said: kept };
    if (this.#options.signal?.aborted) return { said: 'unsure', why: 'the run had ended' };
    if (this.#calls >= this.#judge.maxCalls) {
      return { said: 'unsure', why: `compare.judge.maxCalls (${this.#judge.maxCalls}) was reached` };
    }
    this.#calls++;
    return this.#asked(question).then(async (answer) => {
      // A failed question may succeed next time.
      if (answer.why === undefined) await keep(file, answer.said).catch(() => {});
      return answer;
    });
  }

  async #asked({ request, recorded, replayed, place, turn }: JudgeTexts): Promise<Answer> {
    const { ask, timeout } = this.#judge;
    const sentences = { recorded: ownSentences(recorded, replayed), replayed: ownSentences(replayed, recorded) };
    const signal = endingIn(timeout, this.#options.signal);
    try {
      const asked = Promise.resolve().then(() =>
        ask({ request: structuredClone(request), recorded, replayed, place, sentences, turn, signal }),
      );
      const told = await unlessEnded(asked, signal);
      const { data, error } = pricedAnswer.safeParse(typeof told === 'object' ? told : { said: told });
      if (error?.issues.every(({ path: [key] }) => key === 'cost'))
        throw new TypeError(`its cost is no number from 0 on, but ${inspect((told as { cost?: unknown }).cost)}`);
      return data === undefined
        ? { said: 'unsure', why: 'it answered neither same, different nor unsure', cost: null }
        : { said: data.said, cost: data.cost ?? null };
    } catch (error) {
      const ended = this.#options.signal?.aborted ? 'the run was ended' : `no answer in ${timeout} ms`;
      const message = signal.aborted ? ended : error instanceof Error ? error.message : String(error);
      return {
        said: 'unsure',
        why: `it failed: ${this.#options.redact(message).slice(0, MAX_WHY_CHARS).toWellFormed()}`,
        cost: null,
      };
    }
  }

  #keyOf({ request, recorded, replayed }: JudgeTexts): string {
    const parts = JSON.stringify([this.#judge.version, request, recorded, replayed]);
    return createHash('sha256').update(parts).digest('hex');
  }
}

/** A question with its texts in one order. */
interface Way {
  readonly question: JudgeTexts;
  readonly file: string;
  readonly kept: Judgement['said'] | undefined;
}

interface Answer {
  readonly said: Judgement['said'];
  readonly why?: string;
  /** Absent if it was not asked. */
  readonly cost?: number | null;
}

function exchanged(question: JudgeTexts): JudgeTexts {
  return { ...question, recorded: question.replayed, replayed: question.recorded };
}

function usageOf({ cost }: Answer): JudgeUsage | undefined {
  return cost === undefined ? undefined : { calls: 1, cost };
}

/** Undefined if nothing was asked. The cost is unknown if that of one question is. */
export function sumOfUsage(all: readonly (JudgeUsage | undefined)[]): JudgeUsage | undefined {
  const asked = all.filter((each) => each !== undefined);
  return asked.length === 0
    ? undefined
    : asked.reduce((a, b) => ({
        calls: a.calls + b.calls,
        cost: a.cost === null || b.cost === null ? null : a.cost + b.cost,
      }));
}

/** Only an answer given both times counts. */
function together([first, second = first]: readonly Answer[]): Pick<Judged, 'said' | 'why'> {
  const failed = [first, second].find((each) => each?.why !== undefined);
  if (failed !== undefined) return { why: failed.why, said: 'unsure' };
  if (first?.said === second?.said) return { said: first?.said ?? 'unsure' };
  return { said: 'unsure', why: `it said ${first?.said}, and ${second?.said} with the texts exchanged` };
}

const keptAnswer = z.object({ said: judgeAnswer });

async function keptIn(file: string): Promise<Way['kept']> {
  return keptAnswer.safeParse(jsonIn(await readTextFile(file).catch(() => ''))).data?.said;
}

/** Written in one step, in a folder that is not a link. */
async function keep(file: string, said: Answer['said']): Promise<void> {
  await makeOutputFolder(path.dirname(file));
  await replaceFile(file, JSON.stringify({ said }), { mode: PRIVATE_FILE });
}
