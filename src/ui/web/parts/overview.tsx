import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import {
  type CauseGroup,
  type CauseRow,
  capitalised,
  causesOf,
  counted,
  decisiveTurn,
  isAsRecorded,
  isDoubt,
  isEdit,
  lesserStory,
  lookOf,
  OUTCOMES,
  separationOf,
  sessionName,
  stepOf,
  toldOf,
  verdictWord,
} from '../../../report/words/pages.ts';
import { Hint, Sign } from './look.tsx';
import { Files } from './place.tsx';
import type { SessionResult } from './shapes.ts';
import { Text } from './text.tsx';
import { causeTitle, countIn, doubtWord, LineDiff, problemOf, stateOf, toldRow } from './what.tsx';

interface OverviewProps {
  /** Those with a result. */
  readonly sessions: readonly SessionResult[];
  readonly nameOf: (session: SessionResult) => string;
  readonly linkTo: (session: SessionResult) => string;
  /** Instead of following a link. */
  readonly onGo?: (href: string, event: MouseEvent) => void;
}

/** The start: one sentence, one bar, a card for each cause, and one line for what passed. */
export function Overview({
  title,
  about,
  unrun = 0,
  isPart = false,
  actions,
  first,
  children,
  ...shown
}: OverviewProps & {
  /** Unless one edit did all of it. */
  title: string;
  /** `130 runs`. */
  about: ComponentChildren;
  /** Other sessions are not shown. */
  isPart?: boolean;
  /** Number of sessions without a result. */
  unrun?: number;
  /** Beside the sentence. */
  actions?: ComponentChildren;
  /** Above the cards. */
  first?: ComponentChildren;
  /** Below them. */
  children?: ComponentChildren;
}) {
  const { sessions } = shown;
  const told = sessions.filter(({ verdict, level }) => !isAsRecorded(verdict) || level !== 'off');
  const groups = causesOf(told);
  const failing = groups.filter(({ rows }) => rows.some(({ session }) => session.level === 'error'));
  const [only] = failing;
  const edited = !isPart && failing.length === 1 && isEdit(only?.cause) ? only?.rows.length : undefined;
  const vary = only?.rows.every(({ session }) => session.verdict === 'varies');
  const grouped = new Set(groups.flatMap(({ rows }) => rows.map(({ session }) => session)));
  const others = told.filter((session) => !grouped.has(session));
  const [doubts, rest] = [
    others.filter(({ verdict }) => isDoubt(verdict)),
    others.filter(({ verdict }) => !isDoubt(verdict)),
  ];
  const inDoubt = [...Map.groupBy(doubts, doubtWord)];
  const isTold = new Set(told);
  const passed = sessions.filter((session) => !isTold.has(session));
  const files = useContext(Files);
  const titleOf = (cause: CauseGroup['cause']) =>
    [causeTitle(cause, files), ...(cause === undefined || cause.line ? [] : [cause.detail])].join(': ');
  const ordered = [...failing, ...groups.filter((group) => !failing.includes(group))];
  return (
    <div class="overview">
      <header>
        <div>
          <h1>
            {edited === undefined
              ? title
              : `One edit ${vary ? 'made' : 'changed'} ${edited} of ${counted(sessions.length + unrun, 'session')}${vary ? ' vary' : ''}${inDoubt.map(([word, { length }]) => `, ${length} ${word}`).join('')}`}
          </h1>
          <p class="quiet">{about}</p>
        </div>
        <div class="line">{actions}</div>
      </header>
      <Shares sessions={sessions} unrun={unrun} />
      {first}
      {ordered.map((group, at) => (
        <Card key={at} {...shown} {...group} title={titleOf(group.cause)} />
      ))}
      {inDoubt.map(([word, own]) => (
        <Card
          key={word}
          {...shown}
          title={`${capitalised(word ?? '')} · ${counted(own.length, 'session')}`}
          rows={rowsOf(own)}
        />
      ))}
      <Card
        {...shown}
        title={`${counted(rest.length, 'session')} ${rest.length === 1 ? 'varies' : 'vary'}, and that passes`}
        rows={rowsOf(rest)}
      />
      {passed.length > 0 && (
        <details class="card passed">
          <summary>
            <Sign {...OUTCOMES['as-recorded']} /> {counted(passed.length, 'session')}{' '}
            {passed.length === 1 ? 'is' : 'are'} as recorded <Opens />
          </summary>
          <Rows {...shown} rows={rowsOf(passed)} />
        </details>
      )}
      {children}
    </div>
  );
}

/** Rows of one card; the list has all of them. */
const MAX_ROWS = 100;
/** So many sessions of which a row tells the same are one row, which opens. */
const MIN_ALIKE = 4;

/** The session itself says what to do about each of its problems. */
const MAX_HINTS = 3;

/** A session, and the turn that is shown for it where it is not the one that decides. */
type Shown = Pick<CauseRow, 'session'> & Partial<CauseRow>;

function rowsOf(sessions: readonly SessionResult[]): Shown[] {
  return sessions.map((session) => ({ session }));
}

/** How many are how, as one bar with its legend. */
function Shares({ sessions, unrun }: { sessions: readonly SessionResult[]; unrun: number }) {
  const groups = [...Map.groupBy(sessions, stateOf)].map(([name, own]) => {
    const { sign, tone } = lookOf(own[0] as SessionResult);
    const { word, plural } = OUTCOMES.varies;
    return { name: name === word && own.length > 1 ? plural : name, count: own.length, sign, tone };
  });
  const shown =
    unrun === 0 ? groups : [...groups, { name: 'without a result', count: unrun, sign: '·', tone: undefined }];
  return (
    <ul class="shares">
      {shown.map(({ name, count, sign, tone }) => (
        <li key={name} data-tone={tone} style={{ flexGrow: String(count) }}>
          <Sign sign={sign} tone={tone} /> {count} {name}
        </li>
      ))}
    </ul>
  );
}

/** Sessions that differ by one cause: its change once, and below it what each session does otherwise. */
function Card({ title, cause, rows, ...shown }: RowsProps & { title: string; cause?: CauseGroup['cause'] }) {
  const [first] = rows;
  if (first === undefined) return null;
  const problems = first.turn === undefined ? rows.flatMap(({ session }) => problemOf(session) ?? []) : [];
  // The first line says that an interrupted run is to be made again.
  const hints = new Set(problems.flatMap(({ code, hint }) => (code === 'INTERRUPTED' ? [] : (hint ?? []))));
  return (
    <section class="card">
      <header>
        <Sign {...lookOf(first.session)} />
        <h2>
          <Text>{title}</Text>
        </h2>
        {first.turn !== undefined && <span class="quiet">{counted(rows.length, 'session')}</span>}
      </header>
      {cause?.line !== undefined && <LineDiff line={cause.line} />}
      <Rows rows={rows} {...shown} />
      {[...hints].slice(0, MAX_HINTS).map((hint) => (
        <Hint key={hint} hint={hint} />
      ))}
    </section>
  );
}

type RowsProps = Omit<OverviewProps, 'sessions'> & { rows: readonly Shown[] };

function Rows({ rows, nameOf, linkTo, onGo }: RowsProps) {
  // A card of one verdict says it once, by its title or its sign.
  const isMixed = new Set(rows.map(({ session }) => verdictWord(session))).size > 1;
  const shownOf = ({ session, turn }: Shown) => {
    const { what, count } = toldRow(session, { turn });
    return { what, count: isMixed ? `${verdictWord(session)}: ${count}` : count };
  };
  const row = (shown: Shown) => {
    const { session, also = [] } = shown;
    const { what, count } = shownOf(shown);
    return (
      <li key={session.id}>
        <RowLink
          href={linkTo(session)}
          onGo={onGo}
          sign={<Sign {...lookOf(session)} />}
          name={[...new Set([nameOf(session), sessionName(session)])].join(' · ')}
          count={count}
        >
          {what}
          {also.length > 0 && ` + turn${also.length === 1 ? '' : 's'} ${also.join(', ')}`}
        </RowLink>
      </li>
    );
  };
  const alike = [...Map.groupBy(rows, (each) => keyOf(each)).values()];
  return (
    <ul>
      {alike.slice(0, MAX_ROWS).map((own) => {
        const [first] = own as [Shown];
        if (own.length < MIN_ALIKE) return own.map(row);
        const { what, count } = shownOf(first);
        return (
          <li key={first.session.id}>
            <details>
              <summary class="row">
                <Sign {...lookOf(first.session)} />
                <b>
                  <Opens /> {own.length} sessions alike
                </b>
                <span class="quiet">{what}</span>
                <span class="count">{count} each</span>
              </summary>
              <ul>{own.slice(0, MAX_ROWS).map(row)}</ul>
            </details>
          </li>
        );
      })}
      {rows.length > MAX_ROWS && <li class="quiet">The list beside a session has all of them.</li>}
    </ul>
  );
}

/** A summary that is laid out has lost its marker. */
function Opens() {
  return <span aria-hidden="true">▸</span>;
}

/** Equal for sessions of which a row tells the same. */
function keyOf({ session, turn = decisiveTurn(session), also }: Shown): string {
  const { divergence, note } = turn?.comparison ?? {};
  const told = divergence && { ...toldOf(divergence), step: stepOf(divergence) };
  const problems = [...session.problems, ...(turn?.problems ?? [])].map(({ code, message }) => code + message);
  const texts = turn === undefined ? [] : lesserStory(turn);
  return JSON.stringify([
    verdictWord(session),
    separationOf(turn),
    told ?? [note, problems, texts],
    turn && countIn(turn),
    also,
  ]);
}

export function RowLink({
  href,
  onGo,
  sign,
  name,
  count,
  children,
}: Pick<OverviewProps, 'onGo'> & {
  href: string;
  sign: ComponentChildren;
  name: string;
  count: string;
  children: ComponentChildren;
}) {
  return (
    <a class="row" href={href} onClick={(event) => onGo?.(href, event)}>
      {sign}
      <b>
        <Text>{name}</Text>
      </b>
      <span class="quiet">{children}</span>
      <span class="count">{count}</span>
    </a>
  );
}
