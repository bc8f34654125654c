import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CarriedReport } from '../../../report/index.ts';
import {
  acceptedAfter,
  bySeverity,
  capitalised,
  commandOn,
  counted,
  duration,
  gateLines,
  grouped,
  isAsRecorded,
  notesOf,
  sessionName,
  usageLine,
  withSeen,
} from '../../../report/words/pages.ts';
import { KeyList, useNeighbours } from './keys.tsx';
import { inGroups, isFound, type Listed, SessionList } from './list.tsx';
import { Facts, Problems } from './look.tsx';
import { Overview } from './overview.tsx';
import { addressOf, Files, type Place, PlaceContext, placeIn, useAddress } from './place.tsx';
import { acceptedBy, PrintedSession, ResultTitle, Session, SessionActions } from './session.tsx';
import type { SessionResult, Report as WholeReport } from './shapes.ts';
import { Command, Own, safe, Text } from './text.tsx';
import { carriedTraces, Traces } from './traces.tsx';
import { Choices, failingTurns } from './what.tsx';

export function Report({ carried }: { carried: CarriedReport }) {
  const report = useMemo(() => withSeen(carried.report), [carried]);
  const sessions = useMemo(() => bySeverity(report.results.sessions), [report]);
  const [search, setSearch] = useState('');
  const address = new URLSearchParams(useAddress().hash.slice(1).replaceAll('+', '%2B'));
  const place = placeIn(address);
  const isPrinting = usePrinting();
  // A report with one session opens with it.
  const chosen =
    sessions.find(({ id }) => id.toWellFormed() === address.get('session')) ??
    (sessions.length === 1 ? sessions[0] : undefined);
  const read = useMemo(() => carriedTraces(carried.traces, chosen?.id ?? ''), [carried, chosen?.id]);
  const go = (next: Place) => {
    history.pushState(null, '', addressOf(chosen?.id ?? '', next));
    dispatchEvent(new PopStateEvent('popstate'));
  };
  const all = useMemo(() => sessions.map((session) => listed(session)), [sessions]);
  const found = all.filter((each) => isFound(each, search));
  const order = inGroups(found).flatMap(([, own]) => own);
  useNeighbours(order, chosen?.id, ({ href }) => {
    location.hash = href;
  });
  // The chosen session, or the start and every session that is not as recorded, whole.
  if (isPrinting)
    return (
      <Files.Provider value={carried.places}>
        <main class="paper">
          {chosen === undefined && <Start report={report} sessions={report.results.sessions} />}
          {(chosen === undefined ? sessions.filter(fails) : [chosen]).map((session) => (
            <PrintedSession key={session.id} session={session} report={report} />
          ))}
        </main>
      </Files.Provider>
    );
  return (
    <Files.Provider value={carried.places}>
      <header class="top-bar">
        <p class="brand">agent-replay</p>
        <nav aria-label="Pages">
          <a href="#all" aria-current={chosen === undefined ? 'page' : undefined}>
            Sessions
          </a>
        </nav>
        <span class="grow" />
        <span class="quiet root">
          <Text>{[report.evidence.branch, report.evidence.commit?.slice(0, 9)].filter(Boolean).join(' @ ')}</Text>
        </span>
        <button type="button" onClick={() => print()}>
          Print
        </button>
        <KeyList />
      </header>
      <main data-session={chosen !== undefined}>
        {chosen === undefined ? (
          <Start report={report} sessions={sessions} />
        ) : (
          <div class="shell" data-alone={sessions.length === 1}>
            {sessions.length > 1 && (
              <SessionList
                sessions={found}
                chosen={chosen.id}
                search={
                  <>
                    <label>
                      Search sessions
                      <input
                        type="search"
                        id="search"
                        value={search}
                        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
                      />
                    </label>
                    <p class="quiet" role="status">
                      {found.length === all.length
                        ? counted(all.length, 'session')
                        : `${found.length} of ${all.length} sessions`}
                    </p>
                  </>
                }
              />
            )}
            <article class="session" aria-label="Session">
              <PlaceContext.Provider value={[place, go]}>
                <Traces.Provider value={read}>
                  <header class="title-bar">
                    {sessions.length > 1 && (
                      <a class="back" href="#all">
                        ← All sessions
                      </a>
                    )}
                    <ResultTitle session={chosen} />
                    <span class="grow" />
                    <SessionActions session={chosen} report={report} />
                  </header>
                  <Session key={chosen.id} session={chosen} report={report} wanted={acceptedBy(chosen, report)}>
                    {sessions.length === 1 && <About report={report} />}
                  </Session>
                </Traces.Provider>
              </PlaceContext.Provider>
            </article>
          </div>
        )}
      </main>
    </Files.Provider>
  );
}

function listed(session: SessionResult): Listed {
  return {
    id: session.id,
    name: session.title ?? sessionName(session),
    href: addressOf(session.id),
    result: session,
    about: session.title === undefined ? '' : sessionName(session),
  };
}

function fails({ verdict, level }: SessionResult): boolean {
  return level === 'error' || !isAsRecorded(verdict);
}

function Start({ report, sessions }: { report: WholeReport; sessions: readonly SessionResult[] }) {
  const { results, evidence } = report;
  const failing = failingTurns(sessions);
  const isFailed = results.status === 'failed' && failing.length > 0;
  return (
    <Overview
      title={capitalised(results.title)}
      about={`${grouped(evidence.usage.calls)} ${evidence.usage.calls === 1 ? 'call' : 'calls'} · ${evidence.usage.cost === null ? '' : `$${evidence.usage.cost.toFixed(2)} · `}${duration(evidence.durationMs)}`}
      sessions={sessions}
      nameOf={(session) => session.title ?? sessionName(session)}
      linkTo={(session) => addressOf(session.id)}
      first={
        <>
          {isFailed ? (
            <Choices
              turns={failing}
              sessions={sessions}
              wanted={acceptedAfter(report, failing)}
              look="open a session: recording and replays stand side by side"
            />
          ) : (
            <p>
              <Own>{results.message}</Own>{' '}
              {results.status === 'interrupted' && <Command>{commandOn(report, ['run'])}</Command>}
            </p>
          )}
          <Problems problems={results.problems} />
        </>
      }
    >
      <About report={report} />
    </Overview>
  );
}

/** What was run, where and how; which gate judged it; the tests and the log. */
function About({ report }: { report: WholeReport }) {
  const { results, evidence } = report;
  const lines = [...gateLines(report), ...notesOf(report)];
  return (
    <details class="about">
      <summary>About this run</summary>
      <p class="quiet">{safe(usageLine(report))}</p>
      {lines.map((line) => (
        <p key={line} class="quiet">
          <Own>{line}</Own>
        </p>
      ))}
      <Facts
        facts={[
          ['runs of each turn', String(results.runs)],
          ['strictness', results.strictness],
          ['commit', evidence.commit],
          ['branch', evidence.branch],
          ['models', evidence.models?.join(', ')],
          ['target', evidence.target],
          ['traces from', evidence.traceSource],
          ['command', evidence.command],
          ['configuration', evidence.config],
          ['started', evidence.startedAt],
          ['interrupted by', evidence.interruptedBy],
          ['version', `${evidence.tool.name} ${evidence.tool.version}`],
          ...Object.entries(evidence.environment),
        ]}
      />
      {evidence.agentLog.length > 0 && (
        <>
          <h3>Last lines of the agent's log</h3>
          <pre class="log" tabIndex={0} dir="auto">
            {evidence.agentLog.map((line) => safe(line)).join('\n')}
          </pre>
        </>
      )}
    </details>
  );
}

/** Whether it is being printed: then there is no list, and nothing that only a pointer opens. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(() => matchMedia('print').matches);
  useEffect(() => {
    const media = matchMedia('print');
    const take = () => setPrinting(media.matches);
    const [begin, end] = [() => setPrinting(true), () => setPrinting(false)];
    // It may have begun since the first look.
    take();
    media.addEventListener('change', take);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      media.removeEventListener('change', take);
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}
