import type { TurnRequest } from '../../contract/index.ts';
import { canonical, isJsonObject, type Json, pointerParts } from '../../json/index.ts';
import { answerOf, isReport, type KeyedStep } from '../keys/keys.ts';
import { inOneSpelling } from '../keys/spelling.ts';
import { type Difference, MAX_DIFFERENCES, type Severity } from '../shapes/result.ts';
import { type CompareRules, isMutating, onlyExplains, type Strictness } from '../shapes/rules.ts';
import { isOutcome } from '../steps/calls.ts';
import { Given } from '../text/given.ts';
import { JUDGED_DIFFERENT, type JudgedTexts } from '../text/judged.ts';
import { compareTexts, type TextComparison } from '../text/other-words.ts';
import { compareProse } from '../text/prose.ts';
import { Text } from '../text/text.ts';
import { lengthInWords } from '../text/words.ts';
import { isContainer, readable, sameValue } from '../values/canonical.ts';
import { type LeafDifference, leafDifferences, type PathRules, pathOf, values } from '../values/paths.ts';
import type { AlignedPair } from './align.ts';
import { isHeading, isHowMuch, isOfSameItems } from './argument-leaves.ts';
import { isFailure, withAspects } from './aspects.ts';
import { difference, type Found } from './difference.ts';
import { isOfEnvironment, markDownstream } from './downstream.ts';
import { type Explanation, type Match, matchRuns } from './match.ts';
import { endedAtMissed } from './missed.ts';
import { Moves, type MovesContext } from './moves.ts';
import { Side, type Sides } from './side.ts';
import type { ToolKnowledge } from './tool-knowledge.ts';

export interface ExplainContext {
  readonly tools: ToolKnowledge;
  readonly paths: PathRules;
  /** What the turn was given. */
  readonly request?: TurnRequest | undefined;
  /** What is known about answers in other words. */
  readonly judged?: JudgedTexts | undefined;
}

export interface PairContext extends ExplainContext, Pick<MovesContext, 'ranAtOnce'> {
  /** Whether both runs had the same prompts, tools, models and parameters. */
  readonly isSameAgent: () => boolean;
}

const RANK: Record<Severity, number> = { noise: 0, wording: 1, minor: 2, behaviour: 3 };
const THRESHOLD: Record<Strictness, Severity> = {
  exact: 'noise',
  wording: 'wording',
  steps: 'minor',
  behaviour: 'behaviour',
  outcome: 'behaviour',
};

/** Whether a difference counts at a strictness. What counts at a looser one also counts at a stricter one. */
export function isMeaningful(
  { kind, severity, tool, replayed, missed }: Difference,
  rules: Pick<CompareRules, 'strictness' | 'tools' | 'relation'>,
): boolean {
  if (missed !== undefined) return true;
  if (onlyExplains(kind, rules)) return false;
  if (RANK[severity] < RANK[THRESHOLD[rules.strictness]]) return false;
  if (rules.strictness !== 'outcome') return true;
  if (['error', 'end', 'final-text', 'final-structure'].includes(kind)) return true;
  if (kind === 'call-name' && typeof replayed === 'string' && isMutating(rules, replayed)) return true;
  return kind !== 'result' && isMutating(rules, tool);
}

/** Explains how a replay differs from the recording: kind, place and severity of every difference. */
export function explain(
  recorded: readonly KeyedStep[],
  replayed: readonly KeyedStep[],
  context: PairContext,
): Explanation {
  const match = matchRuns(recorded, replayed);
  const sides = { recorded: new Side(match.recorded), replayed: new Side(match.replayed) };
  const explained = endedAtMissed({ ...match, differences: new Explainer(match, sides, context).differences() });
  return { ...explained, differences: withAspects(explained.differences, sides, context.tools) };
}

/** A read-only tool may be called up to this many times as often as recorded. Beyond it the agent goes in circles. */
const MAX_TIMES = 2;

/** A text of at least this many words is free text, which can be reworded with the same meaning. */
const FREE_TEXT_WORDS = 3;

class Explainer {
  readonly #recorded: Side;
  readonly #replayed: Side;
  readonly #pairs: readonly AlignedPair[];
  readonly #context: PairContext;
  readonly #moves: Moves;
  /** What the replay's agent was given. */
  readonly #given = new Given(() => {
    const { messages = [], input = null } = this.#context.request ?? {};
    const answers = this.#replayed.steps.filter((step) => step.kind === 'result' && !step.byModel);
    const isFound = (step: KeyedStep) => {
      const call = this.#replayed.callOf(step);
      return call !== undefined && this.#context.tools.effectOf(call) === 'read';
    };
    return {
      request: [input, ...messages],
      asked: [input, ...messages.filter(({ role }) => role === 'user')],
      results: answers.map(({ value = null }) => value),
      found: answers.filter(isFound).map(({ value = null }) => value),
    };
  });

  constructor({ pairs }: Match, sides: Sides, context: PairContext) {
    this.#recorded = sides.recorded;
    this.#replayed = sides.replayed;
    this.#pairs = pairs;
    this.#context = context;
    this.#moves = new Moves(pairs, sides, context);
  }

  differences(): Found[] {
    return this.#settle(
      this.#pairs.flatMap(({ a, b }) => this.#ofPair(this.#recorded.steps[a], this.#replayed.steps[b])),
    );
  }

  #ofPair(a: KeyedStep | undefined, b: KeyedStep | undefined): Found[] {
    const step = a ?? b;
    if (step === undefined) return [];
    if (isOutcome(step)) return this.#ofOutcomes(a, b);
    if (a?.exact === b?.exact) return [];
    if (step.kind === 'call') return this.#ofCalls(a, b);
    if (step.kind === 'error' || step.kind === 'end')
      return [difference(step.kind, 'behaviour', a, b, values(a?.value, b?.value))];
    return step.kind === 'final' ? this.#ofFinals(a, b) : ofTexts(a, b);
  }

  #ofCalls(a: KeyedStep | undefined, b: KeyedStep | undefined): Found[] {
    const [movedA, movedB] = [a, b].map((call) => call && this.#moves.movedTo(call));
    if (a !== undefined && b !== undefined && a.name === b.name && movedA === undefined) return this.#ofArguments(a, b);
    const found: Found[] = [];
    // Reported once, at its place in the recording, with its result.
    if (a !== undefined && movedA !== undefined)
      found.push(
        this.#moves.difference(a, movedA),
        ...this.#ofOneOutcome(this.#recorded.outcomeOf(a), this.#replayed.outcomeOf(movedA)),
      );
    const [lostA, lostB] = [movedA === undefined ? a : undefined, movedB === undefined ? b : undefined];
    if (lostA !== undefined && lostB !== undefined)
      found.push(difference('call-name', 'behaviour', lostA, lostB, values(lostA.name, lostB.name)));
    else if (lostA !== undefined || lostB !== undefined) found.push(this.#ofGap(lostA, lostB));
    return found;
  }

  /** A call that only one side makes. Whether a read-only one is minor is decided once everything after it is known. */
  #ofGap(a: KeyedStep | undefined, b: KeyedStep | undefined): Found {
    const [call, side] = [(a ?? b) as KeyedStep, a === undefined ? this.#replayed : this.#recorded];
    const [ours, theirs] = [a, b].map((each) => each && { name: each.name ?? '', args: each.value ?? null });
    const isRetry = side.before(call)?.exact === call.exact;
    const kind = isRetry ? 'call-retry' : a === undefined ? 'call-extra' : 'call-missing';
    return difference(kind, 'behaviour', a, b, values(ours, theirs));
  }

  /** Whether a call that only one side makes changes nothing, and is not part of a loop. */
  #isIdleRead({ recordedStep, replayedStep }: Found): boolean {
    const extra = this.#replayed.step(replayedStep);
    const call = extra ?? this.#recorded.step(recordedStep);
    if (call === undefined) return false;
    const isIdle = this.#context.tools.isInformative(call) || (extra !== undefined && this.#isIdleLook(extra));
    if (!isIdle || extra === undefined) return isIdle;
    return (['timesOf', 'timesOfTool'] as const).every(
      (times) => this.#replayed[times](extra) <= MAX_TIMES * Math.max(1, this.#recorded[times](extra)),
    );
  }

  /** A look that finds what another call found. */
  #isIdleLook(call: KeyedStep): boolean {
    const outcome = this.#replayed.outcomeOf(call);
    const isFound = (step: KeyedStep) => step !== outcome && step.exact === outcome?.exact;
    return this.#context.tools.isLook(call) && this.#replayed.steps.some(isFound);
  }

  #ofArguments(a: KeyedStep, b: KeyedStep): Found[] {
    const { tools } = this.#context;
    const [resultA, resultB] = [this.#recorded.outcomeOf(a), this.#replayed.outcomeOf(b)];
    const isSameResult = resultA !== undefined && resultA.exact === resultB?.exact;
    const [informs, looks] = (['isInformative', 'isLook'] as const).map(
      (does) => isSameResult && [a, b].every((call) => tools[does](call)),
    );
    const all = this.#leaves(a, b).map((leaf) => ({
      leaf,
      said: tools.isToTheLetter(a.name) ? undefined : compared(leaf, [a.name ?? ''], tools.mayChange(a.name)),
    }));
    const bodies = all.filter(({ said }) => said === 'reworded');
    // What a call that took effect says to people may be judged.
    const isSaid = () => tools.effectOf(a) !== 'read' && ![resultA, resultB].every(isFailure);
    return all.map(({ leaf, said }) => {
      const isPutOtherwise = said === 'reworded' || bodies.some((body) => isHeading(leaf, body.leaf));
      if (isPutOtherwise && isSaid()) {
        const judged = this.#judged('reworded', a, leaf);
        return difference('argument', judged.severity, a, b, { ...leaf, ...textDifference(judged.said) });
      }
      const isFree = isFreeText(leaf.recorded) && isFreeText(leaf.replayed);
      const isWording =
        severityOf(said) === 'wording' ||
        isPutOtherwise ||
        (!tools.isToTheLetter(a.name) && !tools.orderMatters(a.name) && isOfSameItems(leaf, a, b));
      const isMinor = !isWording && isFree && informs;
      if (isWording || (!isMinor && looks && (isFree || isHowMuch(leaf))))
        return difference('argument', 'wording', a, b, leaf);
      return difference('argument', isMinor ? 'minor' : 'behaviour', a, b, { ...leaf, ...textDifference(said) });
    });
  }

  /** An outcome is reported with its call, wherever the alignment put it; alone only if calls are not compared. */
  #ofOutcomes(a: KeyedStep | undefined, b: KeyedStep | undefined): Found[] {
    const [callA, callB] = [this.#recorded.callOf(a), this.#replayed.callOf(b)];
    if (callA === undefined && callB === undefined) return this.#ofOneOutcome(a, b);
    const found: Found[] = [];
    const other = callA && this.#moves.counterpart(callA);
    if (other !== undefined)
      found.push(...this.#ofOneOutcome(a, this.#replayed.outcomeOf(other), callA?.exact !== other.exact));
    const own = callB && this.#moves.counterpart(callB);
    if (own !== undefined && this.#recorded.outcomeOf(own) === undefined) {
      found.push(...this.#ofOneOutcome(undefined, b, callB?.exact !== own.exact));
    }
    return found;
  }

  /** @param follows the calls differ too, so a difference in their outcomes is not the environment's */
  #ofOneOutcome(a: KeyedStep | undefined, b: KeyedStep | undefined, follows = false): Found[] {
    if (a?.exact === b?.exact) return [];
    if (a === undefined || b === undefined) {
      return [
        difference('result', 'behaviour', a, b, { change: a ? 'removed' : 'added', ...values(a?.value, b?.value) }),
      ];
    }
    if (isReport(a) && isReport(b)) return ofTexts(a, b);
    const because = follows ? { downstream: true } : {};
    if (a.kind === 'error' || b.kind === 'error') {
      return [difference('error', 'behaviour', a, b, { ...values(a.value, b.value), ...because })];
    }
    const author = a.byModel === true && b.byModel === true ? { byModel: true } : {};
    return this.#leaves(a, b).map((leaf) =>
      difference('result', 'behaviour', a, b, { ...leaf, ...because, ...author }),
    );
  }

  #ofFinals(a: KeyedStep | undefined, b: KeyedStep | undefined): Found[] {
    if (a === undefined || b === undefined) {
      return [difference('end', 'behaviour', a, b, { change: a ? 'removed' : 'added', ...values(a?.value, b?.value) })];
    }
    if (isContainer(a.value) && isContainer(b.value)) {
      return this.#leaves(a, b).map((leaf) => {
        const { said, severity } = this.#judged(compared(leaf), a, leaf);
        return difference('final-structure', severity, a, b, { ...leaf, ...textDifference(said) });
      });
    }
    if (isContainer(a.value) || isContainer(b.value)) {
      return [
        difference('final-structure', 'behaviour', a, b, { pointer: '', change: 'type', ...values(a.value, b.value) }),
      ];
    }
    const [answerA, answerB] = [answerOf(a), answerOf(b)];
    if (canonical(answerA) === canonical(answerB))
      return [difference('format', 'noise', a, b, values(a.value, b.value))];
    // Line breaks tell rows and lines apart, so that the texts are compared as they are written.
    const areTexts = typeof a.value === 'string' && typeof b.value === 'string';
    const words = areTexts ? compareTexts(Text.of(a.value), Text.of(b.value), this.#given) : undefined;
    const both = values(answerA, answerB);
    const { said, severity } = this.#judged(words, a, both);
    return [difference('final-text', severity, a, b, { ...both, ...textDifference(said) })];
  }

  /** A judge decides about other words, but not about a text that states something else anyway. */
  #judged(
    said: TextComparison | undefined,
    step: KeyedStep,
    { pointer = '', recorded, replayed }: Partial<LeafDifference>,
  ): { said: TextComparison | undefined; severity: Difference['severity'] } {
    const { judged } = this.#context;
    const isOpen = said === 'reworded' && typeof recorded === 'string' && typeof replayed === 'string';
    switch (
      isOpen ? judged?.(Text.of(recorded).readable, Text.of(replayed).readable, pathOf(step, pointer)) : undefined
    ) {
      case 'same':
        return { said, severity: 'noise' };
      case 'different':
        return { said: JUDGED_DIFFERENT, severity: 'behaviour' };
      default:
        return { said, severity: severityOf(said) };
    }
  }

  /** Without fields that differ in spelling alone, unless nothing else does. */
  #leaves(a: KeyedStep, b: KeyedStep): LeafDifference[] {
    const found = leafDifferences(a.value, b.value, {
      limit: MAX_DIFFERENCES,
      isTolerated: (pointer, x, y) => Math.abs(x - y) <= this.#context.paths.tolerance(a, pointer),
    });
    const [ours, theirs] = found.length < 2 ? [] : [inOneSpelling(a), inOneSpelling(b)];
    if (!isJsonObject(ours) || !isJsonObject(theirs)) return found;
    const told = found.filter(({ pointer }) => {
      const [field = ''] = pointerParts(pointer);
      return !sameValue(ours[field], theirs[field]);
    });
    return told.length === 0 ? found : told;
  }

  /**
   * From the end: a missing or extra call of an informative tool is minor if nothing after it differs except such calls and
   * words. A call that repeats the one before it is minor whatever follows. Neither is minor in a loop.
   */
  #settle(found: readonly Found[]): Found[] {
    const settled: Found[] = [];
    let isAsRecorded = true;
    for (const each of found.toReversed()) {
      const isGap = each.kind === 'call-missing' || each.kind === 'call-extra';
      const isRead = (isGap ? isAsRecorded : each.kind === 'call-retry') && this.#isIdleRead(each);
      const severity = isRead ? 'minor' : each.severity;
      if (severity === 'behaviour' || (severity === 'minor' && !isRead)) isAsRecorded = false;
      settled.push({ ...each, severity });
    }
    settled.reverse();
    this.#markOwn(settled);
    const isSame = settled.some(isOfEnvironment) && this.#context.isSameAgent();
    if (!isSame) return settled;
    return markDownstream(settled, { recorded: this.#recorded, replayed: this.#replayed }, this.#context.tools);
  }

  /** What the agent itself wrote otherwise may be why a later read finds something else. */
  #markOwn(settled: Found[]): void {
    const isWrite = ({ kind, severity, recordedStep, replayedStep }: Found) =>
      severity === 'behaviour' &&
      (kind === 'argument' || kind.startsWith('call-')) &&
      [this.#recorded.step(recordedStep), this.#replayed.step(replayedStep)].some(
        (call) => call !== undefined && this.#context.tools.effectOf(call) === 'write',
      );
    const first = settled.findIndex(isWrite);
    for (const [at, each] of settled.entries())
      if (first !== -1 && at > first && each.kind === 'result') settled[at] = { ...each, downstream: true };
  }
}

/** How two leaves differ, if they are prose. */
function compared(
  { pointer, recorded, replayed }: LeafDifference,
  names: readonly string[] = [],
  isWritten = false,
): TextComparison | undefined {
  return compareProse(recorded, replayed, [...names, ...pointerParts(pointer)], isWritten);
}

function severityOf(said: TextComparison | undefined): 'wording' | 'behaviour' {
  return said === 'same' || said === 'reworded' ? 'wording' : 'behaviour';
}

/** Words per side that a difference of texts lists, and characters of each. */
const MAX_WORDS_TOLD = 20;
const MAX_WORD_CHARS = 80;

function textDifference(said: TextComparison | undefined): Pick<Difference, 'text'> {
  if (typeof said !== 'object') return {};
  const few = (words: readonly string[]) =>
    words.slice(0, MAX_WORDS_TOLD).map((word) => word.slice(0, MAX_WORD_CHARS).toWellFormed());
  return { text: { because: said.because, recorded: few(said.recorded), replayed: few(said.replayed) } };
}

function ofTexts(a: KeyedStep | undefined, b: KeyedStep | undefined): Found[] {
  const isSame =
    typeof a?.value === 'string' && typeof b?.value === 'string' && readable(a.value) === readable(b.value);
  return [difference(isSame ? 'format' : 'text', isSame ? 'noise' : 'wording', a, b, values(a?.value, b?.value))];
}

function isFreeText(value: Json | undefined): boolean {
  if (typeof value !== 'string') return false;
  return value.trim().split(/\s+/).length >= FREE_TEXT_WORDS || lengthInWords(Text.of(value).words) >= FREE_TEXT_WORDS;
}
