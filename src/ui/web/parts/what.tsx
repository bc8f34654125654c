import type { ComponentChildren } from 'preact';
import {
  apartIn,
  capitalised,
  counted,
  decisiveTurn,
  forkCommand,
  furtherWords,
  isAsRecorded,
  isDoubt,
  lesserStory,
  placeOfLine,
  rangesOf,
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
  const { place, was, now } = toldOf(divergence);
  if (divergence.kind === 'call-extra') return <WithIds text={whatOf(divergence)} />;
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

/** What is told of a session in a row: where and what; in how many runs, or how many are as recorded. @param isShort with values alone */
export function toldRow(
  session: SessionResult,
  { turn = decisiveTurn(session), isShort = false }: { turn?: TurnResult | undefined; isShort?: boolean } = {},
): { what: ComponentChildren; count: string } {
  const { divergence = null, note } = turn?.comparison ?? {};
  const where = turn !== undefined && session.turns.length > 1 ? `turn ${turn.turn} · ` : '';
  const separation = separationOf(turn);
  if (separation !== undefined) return { what: <Text>{capitalised(where + separation)}</Text>, count: runsIn(turn) };
  if (divergence !== null) {
    const what = (
      <>
        {where}
        <Told divergence={divergence} isShort={isShort} />
      </>
    );
    return { what, count: `${divergence.runs} of ${counted(divergence.of, 'run')}` };
  }
  const [problem] = [...session.problems, ...(turn?.problems ?? [])];
  const [lesser] = turn === undefined ? [] : lesserStory(turn);
  const told = problem === undefined ? (lesser ?? note ?? '') : `${problem.code}: ${problem.message}`;
  return { what: <Text>{told === '' ? '' : where + told}</Text>, count: runsIn(turn) };
}

function runsIn(turn: TurnResult | undefined): string {
  if (turn === undefined) return '';
  const { verdict, requested, figures } = turn.comparison;
  if (isAsRecorded(verdict) && figures.asRecorded === requested) return counted(requested, 'run');
  const count = isAsRecorded(verdict) ? figures.asRecorded : apartIn(turn);
  return `${count} of ${counted(requested, 'run')}`;
}

/** What a turn does otherwise, in values, and what follows; as recorded, or why nothing can be told. */
export function What({ session, turn }: { session: SessionResult; turn: TurnResult }) {
  const { divergence, note, figures, verdict } = turn.comparison;
  const separation = separationOf(turn);
  const where = [
    ...(session.turns.length > 1 ? [`turn ${turn.turn} of ${session.turns.length}`] : []),
    ...(divergence === null || separation !== undefined
      ? []
      : [`step ${stepOf(divergence)}`, `in ${divergence.runs} of ${counted(divergence.of, 'run')}`]),
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
        {session.turns.length > 1 && <OtherTurns session={session} />}
      </ul>
    </section>
  );
}

function kickerOf(session: SessionResult, { comparison: { verdict } }: TurnResult): string {
  return isAsRecorded(verdict) || isDoubt(verdict)
    ? capitalised(verdictWord(session))
    : `What ${verdict === 'varies' ? 'varies' : 'changed'}`;
}

/** A call that is another one, missing or new is said in words; a value is shown. */
function Headline({ divergence }: { divergence: Divergence }) {
  return toldOf(divergence).place === '' ? <WithIds text={whatOf(divergence)} /> : <Told divergence={divergence} />;
}

/** `Turns 1-3, 7-12 are as recorded.` */
function OtherTurns({ session: { turns } }: { session: SessionResult }) {
  const same = turns.filter(({ comparison }) => isAsRecorded(comparison.verdict)).map(({ turn }) => turn);
  if (same.length === 0) return null;
  return (
    <li>{`${same.length === 1 ? 'Turn' : 'Turns'} ${rangesOf(same)} ${same.length === 1 ? 'is' : 'are'} as recorded.`}</li>
  );
}

/** Why the runs part: the edited line as a diff, or what is known of the cause. */
export function Why({ session, turn, report }: { session: SessionResult; turn: TurnResult; report: Report }) {
  const { divergence } = turn.comparison;
  if (divergence === null) return null;
  const fork = forkCommand(turn, session, report);
  return (
    <section class="why" aria-label="Why">
      <p class="kicker">Why</p>
      <CauseWords cause={divergence.cause} />
      {fork !== undefined && (
        <div class="quiet measure">
          To measure whether it is the model: <Command>{fork}</Command> <Copy text={fork} label="Copy fork command" />
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
      {line !== undefined && <LineDiff recorded={line.recorded} replayed={line.replayed} />}
    </>
  );
}

/** What is read from the input alone is likely, and a fork measures it. */
function causeKind({ kind, measured }: Cause): string {
  return kind === 'model' && measured === undefined ? 'Likely the model' : CAUSES[kind];
}

/** What a group of sessions has in common, as a title. */
export function causeTitle(cause: Cause | undefined): string {
  if (cause === undefined) return 'Replays and recordings differ';
  return cause.line === undefined ? `${causeKind(cause)}: ${cause.detail}` : placeOfLine(cause.line);
}

/** A line that was edited; null on the side that lacks it. The signs are separate from the text, which may start with one. */
export function LineDiff({ recorded, replayed }: { recorded: string | null; replayed: string | null }) {
  const [pair] = lineDiff(recorded, replayed);
  const side = (text: string, pieces: readonly Piece[] | null | undefined) =>
    (pieces ?? [{ text, marked: false }]).map((piece, at) =>
      piece.marked ? <b key={at}>{safe(piece.text)}</b> : safe(piece.text),
    );
  return (
    <div class="line-diff" dir="auto">
      {recorded !== null && <del data-sign="−">{side(recorded, replayed === null ? null : pair?.left)}</del>}
      {replayed !== null && <ins data-sign="+">{side(replayed, recorded === null ? null : pair?.right)}</ins>}
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
