import type { ComponentChildren } from 'preact';
import {
  apartIn,
  capitalised,
  choicesFor,
  counted,
  decisiveTurn,
  diffLines,
  forkCommand,
  furtherWords,
  IN_OTHER_WORDS,
  isAsRecorded,
  isDoubt,
  isInOtherWords,
  isUnread,
  lesserStory,
  OUTCOMES,
  placeOfLine,
  separationOf,
  stepOf,
  toldOf,
  verdictWord,
  whatOf,
} from '../../../report/words/pages.ts';
import { Copy } from './buttons.tsx';
import { WithIds } from './ids.tsx';
import { lineDiff, type Piece } from './line-diff.ts';
import type { Divergence, Report, SessionResult, TurnResult } from './shapes.ts';
import { Command, Own, safe, Text } from './text.tsx';

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

/** @param isShort with values alone */
export function toldRow(
  session: SessionResult,
  { turn = decisiveTurn(session), isShort = false }: { turn?: TurnResult | undefined; isShort?: boolean } = {},
): { what: ComponentChildren; count: string } {
  const { divergence = null, note } = turn?.comparison ?? {};
  const where = turn !== undefined && session.turns.length > 1 ? `turn ${turn.turn} · ` : '';
  const separation = separationOf(turn);
  const count = turn === undefined ? '' : countIn(turn);
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
  const [problem] = [...session.problems, ...(turn?.problems ?? [])];
  const [lesser] = turn === undefined ? [] : lesserStory(turn);
  const told = problem === undefined ? (lesser ?? note ?? '') : `${problem.code}: ${problem.message}`;
  return { what: <Text>{told === '' ? '' : where + told}</Text>, count };
}

/** `3 of 5 differ`, `6 of 7 as recorded`, `2 of 5 could not tell: other words` */
function countIn(turn: TurnResult): string {
  const { verdict, requested, figures } = turn.comparison;
  if (isDoubt(verdict)) {
    const word = isInOtherWords(turn.comparison) ? IN_OTHER_WORDS : OUTCOMES[verdict].word;
    return `${apartIn(turn)} of ${requested} ${word}`;
  }
  const { n, asRecorded } = figures;
  return isAsRecorded(verdict) ? `${asRecorded} of ${n} as recorded` : `${n - asRecorded} of ${n} differ`;
}

/** What a turn does otherwise, in values, and what follows; as recorded, or why nothing can be told. */
export function What({ session, turn }: { session: SessionResult; turn: TurnResult }) {
  const { divergence, note, figures, verdict } = turn.comparison;
  const separation = separationOf(turn);
  const apart = figures.n - figures.asRecorded;
  const isAll = divergence?.runs === apart;
  const where = [
    ...(session.turns.length > 1 ? [`turn ${turn.turn} of ${session.turns.length}`] : []),
    ...(divergence === null || separation !== undefined
      ? []
      : [
          `step ${stepOf(divergence)}`,
          `${isAll ? '' : 'this way '}in ${divergence.runs} of ${counted(divergence.of, 'run')}`,
          ...(isAll ? [] : [`${apart} of ${figures.n} not as recorded`]),
        ]),
  ];
  return (
    <section class="what" aria-label="What">
      <p class="kicker">{[kickerOf(session, turn), ...where].join(' · ')}</p>
      <h2>
        {separation !== undefined ? (
          <WithIds text={capitalised(separation)} />
        ) : divergence !== null ? (
          <Headline divergence={divergence} />
        ) : isAsRecorded(verdict) && (turn.shift === undefined || note === null) ? (
          `As recorded in ${figures.asRecorded} of ${counted(figures.n, 'run')}`
        ) : (
          <WithIds text={capitalised(note ?? verdictWord(session))} />
        )}
      </h2>
      <ul class="quiet">
        {[
          ...(separation === undefined && divergence !== null ? furtherWords(divergence) : []),
          ...lesserStory(turn),
        ].map((line) => (
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
export function Why({ session, turn, report }: { session: SessionResult; turn: TurnResult; report: Report }) {
  const { divergence } = turn.comparison;
  if (divergence === null) return null;
  const fork = forkCommand(turn, session, report);
  const [, again = ''] = choicesFor([turn], report.results).find(([when]) => when !== 'If this change is wanted') ?? [];
  return (
    <section class="why" aria-label="Why">
      <p class="kicker">Why</p>
      <CauseWords cause={divergence.cause} />
      {divergence.cause.kind === 'model' && <p class="quiet">{capitalised(again)}.</p>}
      {fork !== undefined && (
        <div class="quiet measure">
          To measure it, ask the model again at this step alone: <Command>{fork}</Command>{' '}
          <Copy text={fork} label="Copy fork command" />
        </div>
      )}
    </section>
  );
}

const CAUSES: Readonly<Record<Cause['kind'], string>> = {
  agent: 'The agent was changed',
  environment: 'A tool or its data answered otherwise',
  concurrency: 'Calls overlapped in another order',
  model: 'The model',
  unknown: 'Not known',
};

/** The cause in words, with its line as a diff. */
function CauseWords({ cause }: { cause: Cause }) {
  const { line, detail } = cause;
  return (
    <>
      <p>
        <b>{line === undefined ? <Text>{causeKind(cause)}</Text> : <Text>{placeOfLine(line)}</Text>}</b>
        {line === undefined && (
          <span class="quiet">
            : <WithIds text={detail} />
          </span>
        )}
      </p>
      {line !== undefined && <LineDiff line={line} />}
    </>
  );
}

/** What is read from the input alone is likely, and a fork measures it. */
function causeKind({ kind, measured }: Cause): string {
  return kind === 'model' && measured === undefined ? 'Likely the model' : CAUSES[kind];
}

export function causeTitle(cause: Cause | undefined): string {
  if (cause === undefined) return 'Replays and recordings differ';
  return cause.line === undefined ? `${causeKind(cause)}: ${cause.detail}` : placeOfLine(cause.line);
}

/** The signs are separate from the text. */
export function LineDiff({ line }: { line: NonNullable<Cause['line']> }) {
  const lines = diffLines(line);
  const textOf = (sign: string) => lines.find((each) => each.startsWith(sign))?.slice(2) ?? null;
  const [{ left = null, right = null } = {}] = lineDiff(textOf('- '), textOf('+ '));
  const told = (pieces: readonly Piece[]) =>
    pieces.map(({ text, marked }, at) => (marked ? <b key={at}>{safe(text)}</b> : safe(text)));
  return (
    <div class="line-diff" dir="auto">
      {left !== null && <del data-sign="−">{told(left)}</del>}
      {right !== null && <ins data-sign="+">{told(right)}</ins>}
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
