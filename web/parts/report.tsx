import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CarriedReport, SessionView } from '../../src/report/index.ts';
import { Copy } from './copy.tsx';
import { Facts } from './facts.tsx';
import { type Place, PlaceContext, parametersOf, placeIn } from './place.tsx';
import { Problems } from './problems.tsx';
import { Session } from './session.tsx';
import { SessionList } from './session-list.tsx';
import { Own, Text } from './text.tsx';
import { carriedTraces, Traces } from './traces.tsx';

/** A whole report: what it comes to, its sessions, and the one that was chosen. The address names it, to be passed on. */
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
  return (
    <>
      <header class="band" data-status={report.status}>
        <p class="brand">agent-replay</p>
        <h1>
          <span aria-hidden="true">{report.sign} </span>
          {report.title}
        </h1>
        <p>
          <Own>{report.message}</Own>
        </p>
        {report.gate.map((line) => (
          <p key={line} class="quiet">
            <Text>{line}</Text>
          </p>
        ))}
        <div class="line">
          <p class="quiet">{report.usage}</p>
          <span class="grow" />
          <Copy text={report.markdown} label="Copy as Markdown" />
          <button type="button" class="outline small" onClick={() => print()}>
            Print
          </button>
        </div>
      </header>
      <main class="split" data-chosen={chosen !== undefined}>
        {report.problems.length > 0 && (
          <section class="whole" aria-labelledby="problems">
            <h2 id="problems">Problems of the whole run</h2>
            <Problems problems={report.problems} />
          </section>
        )}
        {shown !== undefined && (
          <>
            <SessionList sessions={sessions} chosen={shown} />
            <PlaceContext.Provider value={[place, go]}>
              <Traces.Provider value={read}>
                <Details session={shown} />
              </Traces.Provider>
            </PlaceContext.Provider>
          </>
        )}
      </main>
      <footer class="about">
        <details>
          <summary>About this run</summary>
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
      </footer>
    </>
  );
}

function Details({ session }: { session: SessionView }) {
  return (
    <article class="session" id="session" aria-label="Session" key={session.id}>
      <a class="back" href="#all">
        ← All sessions
      </a>
      <Session session={session} />
    </article>
  );
}

/** The address of a session within this page. */
export function linkTo({ id }: Pick<SessionView, 'id'>): string {
  return addressOf(id, {});
}

function addressOf(session: string, place: Place): string {
  const parts = Object.entries({ session: session.toWellFormed(), ...parametersOf(place) });
  return `#${parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}

/** What the address names: a session, and what is looked at in it. */
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
