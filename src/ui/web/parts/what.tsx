import { type ComponentChildren, Fragment } from 'preact';
import { useContext } from 'preact/hooks';
import type { PlacedLines } from '../../../report/index.ts';
import {
  apartIn,
  brief,
  capitalised,
  choicesFor,
  counted,
  decisiveTurn,
  diffLines,
  furtherWords,
  IN_OTHER_WORDS,
  isAsRecorded,
  isDiverged,
  isDoubt,
  isInOtherWords,
  isUnread,
  lesserStory,
  lookOf,
  noEditWords,
  OTHER_WORDS,
  OUTCOMES,
  placeOfLine,
  separationOf,
  stepOf,
  toldOf,
  verdictWord,
  whatOf,
} from '../../../report/words/pages.ts';
import { WithIds } from './ids.tsx';
import { lineDiff, type Piece } from './line-diff.ts';
import { Files } from './place.tsx';
import type { Divergence, Problem, SessionResult, TurnResult } from './shapes.ts';
import { Own, Text } from './text.tsx';

type Cause = Divergence['cause'];

/** A difference as `place was → is now`; a call that is new in words. */
export function Told({ divergence, isShort = false }: { divergence: Divergence; isShort?: boolean }) {
  const { place, ...told } = toldOf(divergence);
  if ([told.was, told.now].some(isNoCall)) return <WithIds text={whatOf(divergence)} />;
  const [was = '', now = ''] = [told.was, told.now].map(withoutQuotes);
  return (
    <span class="told">
      {place !== '' && !isShort && (
        <>
          <b>
            <Text>{place}</Text>
          </b>{' '}
        </>
      )}
      <span class="hidden">recorded: </span>
      <del dir="auto">
        <WithIds text={was} />
      </del>{' '}
      <span aria-hidden="true">→</span> <span class="hidden">replayed: </span>
      <ins dir="auto">
        <WithIds text={now} />
      </ins>
    </span>
  );
}

/** A call that is not made is no value. */
function isNoCall(side: string): boolean {
  return side.startsWith('not called');
}

/** Colours show where a value begins and ends. */
function withoutQuotes(value: string): string {
  return /^"([^"\\]+)"$/.exec(value)?.[1] ?? value;
}

/** What keeps a session in doubt; undefined if it is not. */
export function doubtWord(session: SessionResult): string | undefined {
  if (!isDoubt(session.verdict)) return undefined;
  return isUnread(session) ? IN_OTHER_WORDS : OUTCOMES['could-not-tell'].word;
}

/** How a session is, in the words by which lists group it: `changed`, `varies`, `as recorded`, or what keeps it in doubt. */
export function stateOf(session: SessionResult): string {
  const shown = lookOf(session).tone === 'plain' ? 'varies' : session.verdict;
  return doubtWord(session) ?? OUTCOMES[shown].word;
}

/** @param isShort with values alone */
export function toldRow(
  session: SessionResult,
  { turn = decisiveTurn(session), isShort = false }: { turn?: TurnResult; isShort?: boolean } = {},
): { what: ComponentChildren; count: string } {
  const { divergence = null, note } = turn?.comparison ?? {};
  const where = turn !== undefined && session.turns.length > 1 ? `turn ${turn.turn} · ` : '';
  const separation = separationOf(turn);
  const count = turn === undefined ? '' : countIn(turn, isShort);
  if (separation !== undefined) return { what: <Text>{capitalised(where + separation)}</Text>, count };
  if (divergence !== null) {
    const what = (
      <>
        {where}
        <Told divergence={divergence} isShort={isShort} />
      </>
    );
    return { what, count };
  }
  const problem = problemOf(session, turn);
  const [lesser] = turn === undefined ? [] : lesserStory(turn);
  const told = problem === undefined ? (lesser ?? note ?? '') : brief(problem.message);
  return { what: <Text>{told === '' ? '' : where + told}</Text>, count };
}

/** The first problem of a session, or of this turn. */
export function problemOf(session: SessionResult, turn = decisiveTurn(session)): Problem | undefined {
  return [...session.problems, ...(turn?.problems ?? [])][0];
}

/**
 * `3 of 5 differ`, `6 of 7 as recorded`, `2 of 5 worded differently`: the one count of a turn, in its head and in every list.
 * @param isShort below a heading that says how they are
 */
export function countIn(turn: TurnResult, isShort = false): string {
  const { verdict, requested, figures } = turn.comparison;
  const { n, asRecorded } = figures;
  const told = (count: number, of: number, word: string) => `${count} of ${of}${isShort ? '' : ` ${word}`}`;
  if (isDoubt(verdict))
    return told(apartIn(turn), requested, isInOtherWords(turn.comparison) ? OTHER_WORDS : 'not compared');
  const isPassing = isAsRecorded(verdict) && (asRecorded === n || turn.shift !== undefined);
  return isPassing ? told(asRecorded, n, 'as recorded') : told(n - asRecorded, n, 'differ');
}

/** What a turn does otherwise, in values, and what follows; as recorded, or why nothing can be told. */
export function What({ session, turn }: { session: SessionResult; turn: TurnResult }) {
  const { divergence } = turn.comparison;
  const separation = separationOf(turn);
  const isPlaced = divergence !== null && separation === undefined;
  const where = [
    ...(session.turns.length > 1 ? [`turn ${turn.turn} of ${session.turns.length}`] : []),
    ...(isPlaced ? [`step ${stepOf(divergence)}`] : []),
  ];
  return (
    <section class="what" aria-label="What">
      <p class="kicker">{[kickerOf(session, turn), ...where].join(' · ')}</p>
      <h2>
        {isPlaced ? <Headline divergence={divergence} /> : <WithIds text={capitalised(headlineOf(session, turn))} />}
      </h2>
      <ul class="quiet">
        {[...(isPlaced ? furtherWords(divergence) : []), ...besidesOf(session, turn)].map((line) => (
          <li key={line}>
            <bdi>
              <WithIds text={line} />
            </bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Where no difference of values is the headline: what sets the groups apart, what failed, or that all is as recorded. */
function headlineOf(session: SessionResult, turn: TurnResult): string {
  const { note, figures, verdict } = turn.comparison;
  const separation = separationOf(turn);
  if (separation !== undefined) return separation;
  const failure = failureIn(session, turn);
  if (failure !== undefined) return failure.log ?? failure.message;
  if (variesAsRecorded(turn))
    return `varies just as ${turn.shift?.against === 'base' ? 'the base does' : 'its recordings do'}`;
  return isAsRecorded(verdict) && (turn.shift === undefined || note === null)
    ? `as recorded in ${figures.asRecorded} of ${counted(figures.n, 'run')}`
    : (note ?? verdictWord(session));
}

/** Lesser lines below the headline. */
function besidesOf(session: SessionResult, turn: TurnResult): string[] {
  const failure = failureIn(session, turn);
  if (failure !== undefined) return failure.log === undefined ? [] : [failure.message];
  return turn.shift === undefined ? lesserStory(turn) : [];
}

/** Judged by shift, its replays go several ways, and nothing has shifted. */
function variesAsRecorded({ comparison: { verdict, figures }, shift }: TurnResult): boolean {
  return isAsRecorded(verdict) && figures.behaviours > 1 && shift?.state === 'as-before' && shift.recordingsVary;
}

/** What kept all replays of a turn from being judged; with the line of the agent's log that tells why, if there is one. */
function failureIn(session: SessionResult, { comparison, problems }: TurnResult) {
  const [problem] = [...problems, ...session.problems];
  if (problem === undefined || !isDoubt(comparison.verdict)) return undefined;
  const logged = problem.evidence.flatMap(
    (line) => /^agent: (?!\s)(.*\b\w*(?:error|exception)\b.*)$/i.exec(line)?.[1] ?? [],
  );
  return { message: problem.message, log: logged.at(-1) };
}

function kickerOf(session: SessionResult, { comparison: { verdict } }: TurnResult): string {
  return isAsRecorded(verdict) || isDoubt(verdict)
    ? capitalised(doubtWord(session) ?? verdictWord(session))
    : `What ${verdict === 'varies' ? 'varies' : 'changed'}`;
}

/** A call that is another one, missing or new is said in words; a value is shown. */
function Headline({ divergence }: { divergence: Divergence }) {
  return toldOf(divergence).place === '' ? <WithIds text={whatOf(divergence)} /> : <Told divergence={divergence} />;
}

/** Why the runs part: the edited line as a diff, or what is known of the cause. */
export function Why({ turn }: { turn: TurnResult }) {
  const { divergence } = turn.comparison;
  const files = useContext(Files);
  if (divergence === null) return null;
  const { line, detail } = divergence.cause;
  return (
    <section class="why" aria-label="Why">
      <p class="kicker">Why</p>
      <p>
        <b>
          <Text>{causeTitle(divergence.cause, files)}</Text>
        </b>
        {line === undefined && (
          <span class="quiet">
            : <WithIds text={`${detail}.`} />
          </span>
        )}
      </p>
      {line !== undefined && <LineDiff line={line} />}
    </section>
  );
}

/** Turns that fail the run for what they do. */
export function failingTurns(sessions: readonly SessionResult[]): TurnResult[] {
  return sessions.flatMap(({ turns }) =>
    turns.filter(({ level, comparison }) => level === 'error' && isDiverged(comparison.verdict)),
  );
}

/**
 * What a person can do about turns that fail: the choices of every output.
 * @param wanted how what they do now is accepted here
 */
export function Choices({
  turns,
  sessions,
  wanted,
  look,
  isCauseShown = false,
}: {
  turns: readonly TurnResult[];
  sessions: readonly SessionResult[];
  wanted: string;
  look?: string;
  isCauseShown?: boolean;
}) {
  if (turns.length === 0) return null;
  const isReworded = turns.every(({ comparison }) => isInOtherWords(comparison));
  const choices: (readonly [string, string])[] = isReworded
    ? [
        ['If both mean the same', wanted],
        ['If not', 'fix the agent'],
      ]
    : choicesFor(turns, { sessions, wanted });
  const noEdit = isCauseShown ? undefined : noEditWords(turns, { sessions }, 'an edit of the agent');
  return (
    <>
      {noEdit && <p>{noEdit}</p>}
      <ul class="choices" aria-label="What to do">
        {[...choices, ...(look === undefined ? [] : [['If unsure', look] as const])].map(([when, what]) => (
          <li key={when}>
            <b>{when}:</b> <Own>{`${what}.`}</Own>
          </li>
        ))}
      </ul>
    </>
  );
}

const CAUSES: Readonly<Record<Cause['kind'], string>> = {
  agent: 'The agent was changed',
  environment: 'A tool or its data answered otherwise',
  concurrency: 'Calls overlapped in another order',
  // Read from the input alone.
  model: 'Likely the model',
  unknown: 'Not known',
};

/** `System prompt · prompts/support.md:5`; `System prompt, line 5` where no file is known */
export function causeTitle(cause: Cause | undefined, files: PlacedLines): string {
  if (cause === undefined) return 'Replays and recordings differ';
  if (cause.line === undefined) return CAUSES[cause.kind];
  const text = cause.line.replayed ?? cause.line.recorded ?? '';
  return Object.hasOwn(files, text) ? `${capitalised(cause.line.of)} · ${files[text]}` : placeOfLine(cause.line);
}

export function LineDiff({ line }: { line: NonNullable<Cause['line']> }) {
  const lines = diffLines(line);
  const textOf = (sign: string) => lines.find((each) => each.startsWith(sign))?.slice(2);
  return <TextDiff sides={[textOf('- '), textOf('+ ')]} />;
}

/** The lines that differ, the signs separate from the text. @param of a behaviour */
export function TextDiff({
  sides: [left = null, right = null],
  of = null,
}: {
  sides: readonly [string | null | undefined, string | null | undefined];
  of?: number | null;
}) {
  const told = (pieces: readonly Piece[], whose: number | null) =>
    pieces.map(({ text, marked }, at) => {
      const shown = <WithIds key={at} text={text} of={whose} />;
      return marked ? <b key={at}>{shown}</b> : shown;
    });
  const changed = lineDiff(left, right).filter(({ same }) => !same);
  return (
    <div class="line-diff" dir="auto">
      {changed.map((pair, at) => (
        <Fragment key={at}>
          {pair.left !== null && <del data-sign="−">{told(pair.left, null)}</del>}
          {pair.right !== null && <ins data-sign="+">{told(pair.right, of)}</ins>}
        </Fragment>
      ))}
    </div>
  );
}

/** A sentence of ours that can hold names of ids and commands. */
export function Note({ children }: { children: string }) {
  return (
    <p class="quiet note">
      <bdi>{children.includes('`') ? <Own>{children}</Own> : <WithIds text={children} />}</bdi>
    </p>
  );
}
