import { byCodeUnit } from '../../json/index.ts';
import type { Report, SessionOutcome } from '../../report/index.ts';
import type { Judged, JudgeTexts } from './judge.ts';

type Texts = Pick<Judged, 'session' | 'turn' | 'recorded' | 'replayed'>;

function textsKey({ session, turn, recorded, replayed }: Texts): string {
  return JSON.stringify([session, turn, recorded, replayed]);
}

/** An order that does not depend on the arrival of replays. */
function inOrder(a: Texts, b: Texts): number {
  return byCodeUnit(a.session, b.session) || a.turn - b.turn || byCodeUnit(textsKey(a), textsKey(b));
}

/** Reworded answers for the user's judge, and its answers. */
export class Judgements {
  readonly #questions = new Map<string, JudgeTexts>();
  readonly #said = new Map<string, Judged>();

  ask(questions: readonly JudgeTexts[]): void {
    for (const each of questions) this.#questions.set(textsKey(each), each);
  }

  open(): JudgeTexts[] {
    const open = [...this.#questions].filter(([key]) => !this.#said.has(key));
    return open.map(([, question]) => question).sort(inOrder);
  }

  get said(): Judged[] {
    return [...this.#said.values()];
  }

  take(judgements: readonly Judged[]): void {
    for (const each of judgements) {
      const runs = [...(this.#said.get(textsKey(each))?.runs ?? []), ...each.runs];
      this.#said.set(textsKey(each), { ...each, runs: [...new Set(runs)].sort((a, b) => a - b) });
    }
  }

  /** Undefined if unknown or unsure. */
  of(texts: Texts): 'same' | 'different' | undefined {
    const said = this.#said.get(textsKey(texts))?.said;
    return said === 'unsure' ? undefined : said;
  }

  addedTo(session: SessionOutcome): SessionOutcome {
    const own = [...this.#said.values()].filter((each) => each.session === session.id).sort(inOrder);
    if (own.length === 0) return session;
    const turns = session.turns.map((turn) => ({
      ...turn,
      judgements: own
        .filter((each) => each.turn === turn.turn)
        .map(({ session: _, turn: __, ...each }) => ({ ...each, runs: [...each.runs] })),
    }));
    return { ...session, turns };
  }

  /** @param version of the judge; undefined: there is none */
  sum(version: string | undefined): Report['results']['judge'] {
    if (version === undefined || this.#said.size === 0) return undefined;
    const all = [...this.#said.values()].map(({ said }) => said);
    const count = (said: Judged['said']) => all.filter((each) => each === said).length;
    return { version, same: count('same'), different: count('different'), unsure: count('unsure') };
  }
}
