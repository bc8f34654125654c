import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CarriedReport, SessionView } from '../../../report/index.ts';
import { Copy } from './copy.tsx';
import { Details } from './details.tsx';
import { Facts } from './facts.tsx';
import { type Key, KeyList, useKeys } from './keys.tsx';
import { addressOf, linkTo, type Place, PlaceContext, placeIn } from './place.tsx';
import { Problems } from './problems.tsx';
import { CopyPrompt, Session } from './session.tsx';
import { SessionList } from './session-list.tsx';
import { Panes, paneOf, Shell } from './shell.tsx';
import { Spark } from './spark.tsx';
import { Own, Text } from './text.tsx';
import { ThemeSwitch } from './theme.tsx';
import { carriedTraces, Traces } from './traces.tsx';
import { Verdict } from './verdict.tsx';

/** A whole report: its result, its sessions, and the chosen one. The address names it, for sharing. */
export function Report({ report }: { report: CarriedReport }) {
  const { sessions } = report;
  const { named, place } = useAddress();
  const chosen = sessions.find(({ id }) => id === named);
  const shown = chosen ?? sessions[0];
  const read = useMemo(() => carriedTraces(report.traces, shown?.id ?? ''), [report, shown?.id]);
  const go = (next: Place) => {
    history.replaceState(null, '', addressOf(shown?.id ?? '', next));
    dispatchEvent(new HashChangeEvent('hashchange'));
  };
  // A report with one session opens with it.
  const pane = paneOf(chosen?.id ?? (sessions.length === 1 ? sessions[0]?.id : undefined), place);
  const move = (by: number) => {
    const next = shown && sessions[sessions.indexOf(shown) + by];
    if (next !== undefined) location.hash = linkTo(next);
  };
  useKeys({ j: () => move(1), k: () => move(-1), '/': () => document.getElementById('search')?.focus() });
  return (
    <>
      <Band report={report} />
      {shown === undefined ? (
        <main class="none">
          <p class="quiet">No session was replayed.</p>
        </main>
      ) : (
        <main>
          <PlaceContext.Provider value={[place, go]}>
            <Traces.Provider value={read}>
              <Shell pane={pane} list={sessions.length > 1 ? <SessionList sessions={sessions} chosen={shown} /> : null}>
                <Panes
                  key={shown.id}
                  back={
                    pane === 'details' ? (
                      <a href={linkTo(shown)}>← The run</a>
                    ) : (
                      sessions.length > 1 && <a href="#all">← All sessions</a>
                    )
                  }
                  bar={<Head session={shown} />}
                  run={
                    <article aria-label="Session">
                      <Session session={shown} />
                    </article>
                  }
                  details={shown.turns.length > 0 ? <Details session={shown} /> : null}
                />
              </Shell>
            </Traces.Provider>
          </PlaceContext.Provider>
        </main>
      )}
    </>
  );
}

/** The result of the whole run. */
function Band({ report }: { report: CarriedReport }) {
  return (
    <header class="band" data-status={report.status}>
      <div class="line">
        <h1>
          <span aria-hidden="true">{report.sign} </span>
          {report.title}
        </h1>
        <span class="grow" />
        <Copy text={report.markdown} label="Copy as Markdown" />
        <button type="button" class="outline small" onClick={() => print()}>
          Print
        </button>
        <KeyList keys={KEYS} />
        <ThemeSwitch />
      </div>
      <p>
        <Own>{report.message}</Own>
      </p>
      {report.gate.map((line) => (
        <p key={line} class="quiet">
          <Text>{line}</Text>
        </p>
      ))}
      {report.problems.length > 0 && (
        <section aria-labelledby="problems">
          <h2 id="problems">Problems of the whole run</h2>
          <Problems problems={report.problems} />
        </section>
      )}
      <details class="about">
        <summary>
          {report.usage} <span class="more">About this run</span>
        </summary>
        <Facts facts={report.facts} />
        {report.significance.length > 0 && (
          <>
            <h2>Permutation tests</h2>
            <ul>
              {report.significance.map((line) => (
                <li key={line}>
                  <Text>{line}</Text>
                </li>
              ))}
            </ul>
          </>
        )}
        {report.log.length > 0 && (
          <>
            <h2>Last lines of the agent's log</h2>
            <pre class="log" tabIndex={0}>
              {report.log.join('\n')}
            </pre>
          </>
        )}
      </details>
    </header>
  );
}

const KEYS: readonly Key[] = [
  ['j', 'next session'],
  ['k', 'previous session'],
  ['n', 'next difference'],
  ['p', 'previous difference'],
  ['/', 'search the sessions'],
  ['?', 'this list'],
];

/** The session, its result, and how to run it again. */
function Head({ session }: { session: SessionView }) {
  const { name, pin, title, agentId, rerun } = session;
  return (
    <header class="title">
      <div class="line">
        <h2>
          <Text>{title === '' ? name : title}</Text>
        </h2>
        <Verdict {...session} />
        {session.trend.length > 1 && <Spark shares={session.trend} />}
        <span class="grow" />
        <span class="together">
          <CopyPrompt session={session} /> <Copy text={rerun} label="Copy command" />
        </span>
      </div>
      <p class="quiet">
        <Text>{pin}</Text>
        {agentId !== '' && (
          <>
            {' · agent '}
            <Text>{agentId}</Text>
          </>
        )}
        {' · '}
        <code>{rerun}</code>
      </p>
    </header>
  );
}

/** The session in the address, and the selection in it. */
function useAddress(): { named: string | undefined; place: Place } {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const take = () => setHash(location.hash);
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  return useMemo(() => {
    const parameters = new URLSearchParams(hash.slice(1).replaceAll('+', '%2B'));
    return { named: parameters.get('session') ?? undefined, place: placeIn(parameters) };
  }, [hash]);
}
