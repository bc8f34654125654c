import type { Json } from '../../json/index.ts';
import { atPointer } from '../../json/index.ts';
import type { KeyedStep } from '../keys/keys.ts';
import type { TextDifference } from '../shapes/result.ts';
import { compareTexts, isDenied } from '../text/other-words.ts';
import { Text } from '../text/text.ts';
import type { Found } from './difference.ts';
import { News } from './news.ts';
import type { Side, Sides } from './side.ts';
import type { ToolKnowledge } from './tool-knowledge.ts';

/** The same call of a tool, with another outcome. */
export function isOfEnvironment({ kind, tool, downstream, byModel }: Found): boolean {
  return (kind === 'result' || (kind === 'error' && tool !== undefined)) && downstream !== true && byModel !== true;
}

/**
 * Marks differences that follow from a tool's changed answer: everything that differs in them is in that answer, or can be
 * computed from it. Any other difference counts by itself, because the answer does not explain it.
 *
 * result /price of get_order: recorded 100, replayed 110
 * argument /amount of pay: recorded 300, replayed 330 follows: three times the price
 * argument /account of pay: recorded "A-1", replayed "B-2" does not
 *
 * @param differences in order
 */
export function markDownstream(differences: readonly Found[], sides: Sides, tools: ToolKnowledge): Found[] {
  if (!differences.some(isOfEnvironment)) return [...differences];
  return new Downstream(sides, tools).marked(differences);
}

/** Differences of texts that a changed value in them can explain. */
const VALUES_SAY: ReadonlySet<TextDifference['because']> = new Set(['form', 'name', 'word']);

class Downstream {
  readonly #recorded: Side;
  readonly #replayed: Side;
  readonly #tools: ToolKnowledge;
  readonly #news = new News();
  /** Recorded calls whose arguments differ in values that follow, and those with others too. */
  readonly #following = new Set<KeyedStep>();
  readonly #ownWay = new Set<KeyedStep>();

  constructor({ recorded, replayed }: Sides, tools: ToolKnowledge) {
    this.#recorded = recorded;
    this.#replayed = replayed;
    this.#tools = tools;
  }

  marked(differences: readonly Found[]): Found[] {
    return differences.map((each) => {
      const [a, b] = [this.#recorded.step(each.recordedStep), this.#replayed.step(each.replayedStep)];
      if (each.kind === 'result' || each.kind === 'error') {
        this.#hear(each, a, b);
        return each;
      }
      const follows = this.#follows(each, a, b);
      if (a?.kind === 'call') (follows ? this.#following : this.#ownWay).add(a);
      return follows ? { ...each, downstream: true } : each;
    });
  }

  /** Remembers what a tool answered differently: to the same call, or to one that differs only in what follows. */
  #hear(difference: Found, a: KeyedStep | undefined, b: KeyedStep | undefined): void {
    const call = this.#recorded.callOf(a);
    const isNews = isOfEnvironment(difference)
      ? difference.tool !== undefined
      : call !== undefined && this.#following.has(call) && !this.#ownWay.has(call);
    if (isNews) this.#news.add(leafAt(a, difference), leafAt(b, difference));
  }

  #follows(difference: Found, a: KeyedStep | undefined, b: KeyedStep | undefined): boolean {
    if (this.#news.isEmpty) return false;
    switch (difference.kind) {
      case 'argument':
      case 'final-structure':
        return this.#news.explains(leafAt(a, difference), leafAt(b, difference));
      case 'final-text':
        return this.#answerFollows(a?.value, b?.value);
      case 'call-missing':
      case 'call-extra':
        return this.#callFollows(a, b);
      // Texts on the way are not judged. A value cannot explain another tool, a repetition, another order or another
      // ending.
      default:
        difference.kind satisfies
          | 'call-name'
          | 'call-order'
          | 'call-retry'
          | 'end'
          | 'error'
          | 'result'
          | 'text'
          | 'format';
        return false;
    }
  }

  /** Judged by the forms that differ. A value cannot explain a yes or no, a refusal or another topic. */
  #answerFollows(recorded: Json | undefined, replayed: Json | undefined): boolean {
    if (typeof recorded !== 'string' || typeof replayed !== 'string') return false;
    const [ours, theirs] = [Text.of(recorded), Text.of(replayed)];
    const said = compareTexts(ours, theirs);
    if (typeof said === 'string' || !VALUES_SAY.has(said.because) || isDenied(ours, theirs)) return false;
    return this.#news.explains([...said.recorded], [...said.replayed]);
  }

  /** Looking at an item that the tool listed, or no longer lists. A call that may change something is never explained away. */
  #callFollows(a: KeyedStep | undefined, b: KeyedStep | undefined): boolean {
    if (this.#tools.mayChange((a ?? b)?.name)) return false;
    if (a !== undefined) {
      if (!this.#news.hasLost(a.value ?? null)) return false;
      this.#news.add(this.#recorded.outcomeOf(a)?.value, undefined);
    } else if (b !== undefined) {
      if (!this.#news.hasGained(b.value ?? null)) return false;
      this.#news.add(undefined, this.#replayed.outcomeOf(b)?.value);
    }
    return true;
  }
}

/** The whole value at a difference, which itself may hold an excerpt. */
function leafAt(step: KeyedStep | undefined, { pointer }: Found): Json | undefined {
  return step?.value === undefined ? undefined : atPointer(step.value, pointer ?? '');
}
