import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Problem } from '../../../report/index.ts';
import {
  duration,
  isAsRecorded,
  isForced,
  lookOf,
  rerunCommand,
  verdictWord,
  withSeen,
} from '../../../report/words/pages.ts';
import type { PastResult, RunResult, RunToRead, RunUnderWay, SessionDetail } from '../../index.ts';
import { Copy } from '../parts/buttons.tsx';
import { Facts, Problems, Sign, Time, Verdict } from '../parts/look.tsx';
import { Files, type Place, PlaceContext, parametersOf, placeIn } from '../parts/place.tsx';
import { acceptedBy, Session, SessionActions, Title } from '../parts/session.tsx';
import type { Report, SessionResult } from '../parts/shapes.ts';
import { Text } from '../parts/text.tsx';
import { type ReadTrace, Traces } from '../parts/traces.tsx';
import { chosenIn } from '../parts/turns.ts';
import { toldRow } from '../parts/what.tsx';
import { Accept } from './accept.tsx';
import { follow, go, NO_PLACE, NO_RESULT, note, START, withQuery } from './address.ts';
import { Recorded } from './recorded.tsx';
import { RunBar } from './run-bar.tsx';
import { ask, problemOf } from './server.ts';
import { useRun } from './use-run.ts';

/** One session: its run bar, and its result or what was recorded. */
export function Chosen({
  place: { sessionId, agentId, resultId },
  agents,
  onChanged,
}: {
  /** `resultId`: a kept result; empty for none. */
  place: { readonly sessionId: string; readonly agentId: string; readonly resultId: string };
  agents: readonly string[];
  /** There is a new result or pin. */
  onChanged: () => void;
}) {
  const [detail, setDetail] = useState<SessionDetail>();
  const [problem, setProblem] = useState<Problem>();
  const load = useCallback(async () => {
    try {
      const known = await ask<SessionDetail>('/api/session', { query: { id: sessionId, agentId } });
      setDetail(known);
      setProblem(undefined);
      // From now on an address that only names the session names its agent too.
      if (agentId === '' && known.target.agentId !== '') note({ agentId: known.target.agentId });
    } catch (error) {
      setProblem(problemOf(error));
    }
    onChanged();
  }, [sessionId, agentId, onChanged]);
  useEffect(() => void load(), [load]);
  const show = useCallback((result: string) => go(withQuery({ ...NO_RESULT, result })), []);
  const isThere = detail !== undefined;
  useEffect(() => {
    // By keyboard, its bar comes next.
    if (isThere && document.activeElement === document.body) document.getElementById('session')?.focus();
  }, [isThere]);
  const run = useRun({ session: sessionId, result: resultId, onResult: show, onOver: load });
  const { result } = run;
  const read = useTraces(sessionId, result?.id ?? '');
  const report = useMemo(() => result && reportOf(result), [result]);
  const told = report?.results.sessions[0];
  const place = placeIn(new URLSearchParams(location.search));
  if (detail === undefined) {
    return (
      <article class="session">
        <header class="title-bar">
          <Back />
          <Title name={sessionId} />
        </header>
        {problem === undefined ? <p role="status">Looking for the session …</p> : <Problems problems={[problem]} />}
      </article>
    );
  }
  const about = <About detail={detail} agents={agents} named={agentId} shown={result?.id} onShow={show} />;
  return (
    <PlaceContext.Provider value={[place, look]}>
      <Files.Provider value={result?.places ?? {}}>
        <Traces.Provider value={read}>
          <article class="session" aria-label="Session">
            <header class="title-bar">
              <Back />
              <TitleOf detail={detail} />
              {result !== undefined && <Outcome key={result.id} result={result} isNew={run.isNew} />}
              <span class="grow" />
              <RunBar key={detail.id} detail={detail} run={run} agentId={agentId} onSaved={load} />
              {result !== undefined && <Actions key={result.id} result={result} detail={detail} onChanged={load} />}
              {result === undefined && detail.source !== 'pinned' && <PinButton session={sessionId} onPinned={load} />}
            </header>
            {run.now !== undefined && <Progress run={run.now} />}
            <Problems problems={[problem, run.problem]} />
            <Notes notes={run.notes} />
            {result !== undefined && report !== undefined ? (
              <section class="result" aria-label="Result">
                {result.cancelled !== undefined && <p class="said quiet">{cancelledWords(result.cancelled)}</p>}
                <Problems problems={report.results.problems} />
                {told === undefined ? (
                  about
                ) : (
                  <Session
                    key={result.id}
                    session={told}
                    report={report}
                    wanted={wantedOf(told, report, detail)}
                    about={about}
                  />
                )}
              </section>
            ) : (
              <div class="body" data-alone="true">
                <div class="middle">
                  <Recorded detail={detail} />
                  {about}
                </div>
              </div>
            )}
          </article>
        </Traces.Provider>
      </Files.Provider>
    </PlaceContext.Provider>
  );
}

function Back() {
  return (
    <a class="back" href={START} onClick={(event) => follow(START, event)}>
      ← All sessions
    </a>
  );
}

/** How what a session does now is accepted: here, unless it must never happen. */
function wantedOf(session: SessionResult, report: Report, { source }: SessionDetail): string {
  if (source !== 'pinned') return 'press Pin this, then Accept, and commit the recording';
  return session.turns.some(isForced)
    ? `run \`${rerunCommand(session, report)}\`, then ${acceptedBy(session, report)}`
    : 'press Accept and commit the recording';
}

/** The address names the selection in a result, so that back, reload and a shared link restore it. */
function look(place: Place): void {
  go(withQuery({ ...NO_PLACE, ...parametersOf(place) }));
}

/** @param id of a result; empty for what was recorded */
function useTraces(session: string, id: string): ReadTrace {
  return useCallback(
    (turn, of) =>
      ask<RunToRead>('/api/trace', { query: { session, id, turn: String(turn), of: of === null ? '' : String(of) } }),
    [session, id],
  );
}

/** Whoever cancelled a run knows why it was interrupted, so that is said once. */
function reportOf({ report, cancelled }: RunResult): Report {
  const whole = withSeen(report);
  if (cancelled === undefined) return whole;
  const sessions = whole.results.sessions.map((session) => ({
    ...session,
    turns: session.turns.map((turn) => ({
      ...turn,
      problems: turn.problems.filter(({ code }) => code !== 'INTERRUPTED'),
    })),
  }));
  return { ...whole, results: { ...whole.results, sessions } };
}

function cancelledWords({ came, total }: NonNullable<RunResult['cancelled']>): string {
  return came === 0
    ? `Cancelled before any of ${total} replays finished: nothing is known of them.`
    : `Cancelled when ${came} of ${total} replays had finished. What they did is compared below; nothing is known of the others.`;
}

function TitleOf({ detail: { title, id, agentId, source, replayable, reason } }: { detail: SessionDetail }) {
  const facts = [
    replayable ? '' : '✘ not replayable',
    title && id,
    agentId && `agent ${agentId}`,
    source === 'pinned' ? '' : 'synced, not pinned',
  ];
  return (
    <Title name={title || id} facts={facts}>
      {!replayable && (
        <p class="problem">
          <b>Not replayable:</b> <Text>{reason}</Text>. It cannot be run.
        </p>
      )}
    </Title>
  );
}

/** The result in a word. Once it is there, the reader is taken to it. */
function Outcome({ result: { cancelled, report }, isNew }: { result: RunResult; isNew: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isNew) heading.current?.focus();
  }, [isNew]);
  const [session] = report.results.sessions;
  return (
    <h2 id="result" ref={heading} tabIndex={-1}>
      <span class="hidden">Result: </span>
      {cancelled !== undefined ? (
        <span class="badge">
          <span aria-hidden="true">■</span> cancelled, {cancelled.came} of {cancelled.total} finished
        </span>
      ) : (
        session !== undefined && <Verdict session={session} />
      )}
    </h2>
  );
}

/** What must never happen is accepted by a command alone, which the choices name. */
function isAcceptable({ verdict, turns }: SessionResult): boolean {
  return !isAsRecorded(verdict) && !turns.some(isForced);
}

function Actions({
  result: { id, session, report, markdown, cancelled },
  detail,
  onChanged,
}: {
  result: RunResult;
  detail: SessionDetail;
  onChanged: () => Promise<void>;
}) {
  const [said, setSaid] = useState('');
  const [told] = report.results.sessions;
  const [place] = useContext(PlaceContext);
  const shown = (told && chosenIn(told, place)?.behaviour?.cluster.runs) ?? [];
  const done = async (what: string) => {
    setSaid(what);
    await onChanged();
  };
  return (
    <>
      {detail.source !== 'pinned' && <PinButton session={session} onPinned={(pin) => done(`Pinned as ${pin}`)} />}
      {detail.source === 'pinned' && told !== undefined && isAcceptable(told) && (
        <Accept session={session} result={id} shown={shown} onAccepted={done} />
      )}
      <details class="menu">
        <summary>More</summary>
        <div>
          {told !== undefined && cancelled === undefined && <SessionActions session={told} report={report} />}
          <Copy text={markdown} label="Copy as Markdown" />
        </div>
      </details>
      {said !== '' && (
        <p role="status" class="quiet">
          <Text>{said}</Text>
        </p>
      )}
    </>
  );
}

function PinButton({ session, onPinned }: { session: string; onPinned: (pin: string) => Promise<void> }) {
  const [problem, setProblem] = useState<Problem>();
  const pin = async () => {
    try {
      setProblem(undefined);
      const { pin: file } = await ask<{ pin: string }>('/api/pin', { method: 'POST', body: { session } });
      await onPinned(file);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <>
      <button type="button" onClick={pin}>
        Pin this
      </button>
      <Problems problems={[problem]} />
    </>
  );
}

/** Whose session it is, where it is kept, and its earlier results. */
function About({
  detail,
  agents,
  named,
  shown,
  onShow,
}: {
  detail: SessionDetail;
  agents: readonly string[];
  /** The agent in the address; empty without one. */
  named: string;
  shown: string | undefined;
  onShow: (result: string) => void;
}) {
  const { target, agentId, pin } = detail;
  return (
    <section class="about-session" aria-label="Session and its results">
      {target.agentId === '' && agents.length > 1 && (
        <p class="problem">
          <b>Which agent?</b> The session does not say it: enter the agent id, one of <Text>{agents.join(', ')}</Text>.
        </p>
      )}
      {named !== '' && agentId !== '' && named !== agentId && (
        <p class="problem">
          <b>Another agent:</b> the session was recorded of <Text>{agentId}</Text>, the address names{' '}
          <Text>{named}</Text>. It is replayed against <Text>{agentId}</Text>.
        </p>
      )}
      <Facts
        facts={[
          ['file', pin],
          ['traces', target.source],
        ]}
      />
      <Past detail={detail} shown={shown} onShow={onShow} />
    </section>
  );
}

function Notes({ notes }: { notes: readonly string[] }) {
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="problem said">
          <span aria-hidden="true">⚠</span> <Text>{note}</Text>
        </p>
      ))}
    </>
  );
}

function Progress({ run: { said, came, total, ms } }: { run: RunUnderWay }) {
  return (
    <div class="progress">
      <div class="line">
        <p role="status" class="quiet grow">
          <Text>{said}</Text>
        </p>
        {/* Not announced to screen readers, because it changes each second. */}
        <span class="quiet">{duration(Math.floor(ms / 1_000) * 1_000)}</span>
      </div>
      <progress aria-label="Runs" max={Math.max(total, 1)} value={total === 0 ? undefined : came} />
    </div>
  );
}

function Past({
  detail: { past },
  shown,
  onShow,
}: {
  detail: SessionDetail;
  shown: string | undefined;
  onShow: (id: string) => void;
}) {
  if (past.length === 0) return null;
  return (
    <section class="past" aria-label="Past results">
      <h3>Past results</h3>
      <ul>
        {past.map((each) => (
          <li key={each.id}>
            <button type="button" class="plain" aria-pressed={each.id === shown} onClick={() => onShow(each.id)}>
              <One result={each} /> <Time iso={each.startedAt} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function One({ result: { session, isCancelled } }: { result: PastResult }) {
  if (isCancelled || session === undefined) return <span>■ cancelled</span>;
  return (
    <>
      <Sign {...lookOf(session)} /> {!isAsRecorded(session.verdict) && `${verdictWord(session)}, `}
      {toldRow(session).count}
    </>
  );
}
