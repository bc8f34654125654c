import type { ComponentChildren } from 'preact';
import {
  type CauseGroup,
  type CauseRow,
  causesOf,
  counted,
  isAsRecorded,
  isDoubt,
  isEdit,
  lookOf,
  OUTCOMES,
  sessionName,
} from '../../../report/words/pages.ts';
import { Sign } from './look.tsx';
import type { SessionResult } from './shapes.ts';
import { Text } from './text.tsx';
import { causeTitle, doubtWord, LineDiff, toldRow } from './what.tsx';

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
  /** Number of sessions that were never run. */
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
  const passed = sessions.filter((session) => !told.includes(session));
  const ordered = [...failing, ...groups.filter((group) => !failing.includes(group))];
  return (
    <div class="overview">
      <header>
        <div>
          <h1>
            {edited === undefined
              ? title
              : `One edit ${vary ? 'made' : 'changed'} ${edited} of ${counted(sessions.length, 'session')}${vary ? ' vary' : ''}${inDoubt.map(([word, { length }]) => `, ${length} ${word}`).join('')}`}
          </h1>
          <p class="quiet">{about}</p>
        </div>
        <div class="line">{actions}</div>
      </header>
      <Shares sessions={sessions} unrun={unrun} />
      {first}
      {ordered.map((group, at) => (
        <Card key={at} {...shown} {...group} title={causeTitle(group.cause)} />
      ))}
      {inDoubt.map(([word, own]) => (
        <Card key={word} {...shown} title={`${counted(own.length, 'session')} ${word}`} rows={rowsOf(own)} />
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
            {passed.length === 1 ? 'is' : 'are'} as recorded
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

/** A session, and the turn that is shown for it where it is not the one that decides. */
type Shown = Pick<CauseRow, 'session'> & Partial<CauseRow>;

function rowsOf(sessions: readonly SessionResult[]): Shown[] {
  return sessions.map((session) => ({ session }));
}

const TONES = [
  ['good', 'as recorded'],
  ['bad', 'changed'],
  ['plain', 'varying'],
  ['doubt', 'in doubt'],
] as const;

/** How many are how, as one bar. The sentence says the same. */
function Shares({ sessions, unrun }: { sessions: readonly SessionResult[]; unrun: number }) {
  const counts = TONES.map(([tone]) => [tone, sessions.filter((each) => lookOf(each).tone === tone).length] as const);
  return (
    <div class="shares" aria-hidden="true">
      {[...counts, ['none', unrun] as const].map(([tone, count]) =>
        count === 0 ? null : <span key={tone} data-tone={tone} style={{ flexGrow: String(count) }} />,
      )}
    </div>
  );
}

/** Sessions that differ by one cause: its change once, and below it what each session does otherwise. */
function Card({ title, cause, rows, ...shown }: RowsProps & { title: string; cause?: CauseGroup['cause'] }) {
  const [first] = rows;
  if (first === undefined) return null;
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
    </section>
  );
}

type RowsProps = Omit<OverviewProps, 'sessions'> & { rows: readonly Shown[] };

function Rows({ rows, nameOf, linkTo, onGo }: RowsProps) {
  return (
    <ul>
      {rows.slice(0, MAX_ROWS).map(({ session, turn, also = [] }) => {
        const { what, count } = toldRow(session, { turn });
        return (
          <RowLink
            key={session.id}
            href={linkTo(session)}
            onGo={onGo}
            sign={<Sign {...lookOf(session)} />}
            name={[...new Set([nameOf(session), sessionName(session)])].join(' · ')}
            count={count}
          >
            {what}
            {also.length > 0 && ` + turn${also.length === 1 ? '' : 's'} ${also.join(', ')}`}
          </RowLink>
        );
      })}
      {rows.length > MAX_ROWS && <li class="quiet">{rows.length - MAX_ROWS} more are in the list</li>}
    </ul>
  );
}

/** A session in a card. */
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
    <li>
      <a class="row" href={href} onClick={(event) => onGo?.(href, event)}>
        {sign}
        <b>
          <Text>{name}</Text>
        </b>
        <span class="quiet">{children}</span>
        <span class="count">{count}</span>
      </a>
    </li>
  );
}
