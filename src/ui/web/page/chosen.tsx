import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ProblemView, TraceView } from '../../../report/index.ts';
import type { RunResult, SessionDetail } from '../../index.ts';
import { Details } from '../parts/details.tsx';
import { type Place as Looked, PlaceContext, parametersOf, placeIn } from '../parts/place.tsx';
import { Problems } from '../parts/problems.tsx';
import { Panes, paneOf } from '../parts/shell.tsx';
import { Text } from '../parts/text.tsx';
import { type ReadTraces, Traces } from '../parts/traces.tsx';
import { About } from './about.tsx';
import { Actions } from './actions.tsx';
import { go, Link, NO_PLACE, note, withQuery } from './address.tsx';
import { Live } from './live.tsx';
import { Outcome } from './outcome.tsx';
import { PinButton } from './pin-button.tsx';
import { Progress } from './progress.tsx';
import { Recorded } from './recorded.tsx';
import { Result } from './result.tsx';
import { Run, type Wanted } from './run.tsx';
import { ask, problemOf } from './server.ts';
import { NO_RESULT } from './session-pane.tsx';
import { type FollowedRun, useRun } from './use-run.ts';
import { useTarget } from './use-target.ts';

interface Place {
  readonly sessionId: string;
  readonly agentId: string;
  /** A kept result; empty for none. */
  readonly resultId: string;
}

/** One session: its run bar, its results and its recording, and beside them where it runs. */
export function Chosen({
  place: { sessionId, agentId, resultId },
  agents,
  onChanged,
}: {
  place: Place;
  agents: readonly string[];
  /** There is a new result or pin. */
  onChanged: () => void;
}) {
  const [detail, setDetail] = useState<SessionDetail>();
  const [problem, setProblem] = useState<ProblemView>();
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
  const target = useTarget(detail, load);
  const trace = useTraces(run.result);
  const place = placeIn(new URLSearchParams(location.search));
  if (detail === undefined) {
    return (
      <div class="shell-run">
        <p class="back">
          <Link to="/reproducibility" current={false}>
            ← All sessions
          </Link>
        </p>
        {problem === undefined ? <p role="status">Looking for the session …</p> : <Problems problems={[problem]} />}
      </div>
    );
  }
  const start = ({ once, ...wanted }: Wanted) =>
    run.start({ session: sessionId, agentId, ...wanted, ...(once === undefined ? {} : { url: once }) });
  const about = (
    <About detail={detail} agents={agents} named={agentId} target={target} shown={run.result?.id} onShow={show} />
  );
  const told = run.result?.report.sessions[0];
  return (
    <PlaceContext.Provider value={[place, look]}>
      <Traces.Provider value={trace}>
        <Panes
          back={
            paneOf(sessionId, place) === 'details' ? (
              <Link to={withQuery(NO_PLACE)} current={false}>
                ← The run
              </Link>
            ) : (
              <Link to="/reproducibility" current={false}>
                ← All sessions
              </Link>
            )
          }
          bar={
            <Bar detail={detail} edited={target.edited} run={run} onChanged={load}>
              <Run
                key={detail.id}
                run={run}
                settings={detail.settings}
                runnable={detail.replayable && detail.target.url !== '' && target.edited === undefined}
                edited={detail.replayable && target.problem === undefined ? target.edited : undefined}
                onSave={target.save}
                onRun={start}
              />
            </Bar>
          }
          run={
            <>
              {problem !== undefined && <Problems problems={[problem]} />}
              {run.result === undefined && run.events.length > 0 && (
                <Live events={run.events} isRunning={run.isRunning} />
              )}
              {run.result !== undefined && <Result key={run.result.id} result={run.result} events={run.events} />}
              <Recorded detail={detail} isOpen={run.result === undefined && !run.isRunning} />
            </>
          }
          isShort={told === undefined}
          details={told === undefined ? about : <Details key={run.result?.id} session={told} about={about} />}
        />
      </Traces.Provider>
    </PlaceContext.Provider>
  );
}

/** The address names the selection in a result, so that back, reload and a shared link restore it. */
function look(place: Looked): void {
  go(withQuery({ ...NO_PLACE, ...parametersOf(place) }));
}

/** What the runs of a result did. */
function useTraces(result: RunResult | undefined): ReadTraces | undefined {
  const { session, id } = result ?? {};
  return useMemo(
    () =>
      session === undefined || id === undefined
        ? undefined
        : {
            view: (turn, of) => ask<TraceView>('/api/trace', { query: { session, id, turn: String(turn), of } }),
            raw: async (turn, of) => {
              const query = { session, id, turn: String(turn), of };
              return (await ask<{ text: string }>('/api/raw-trace', { query })).text;
            },
          },
    [session, id],
  );
}

/** Stays in sight: the session, where it runs, Run, progress and verdict. */
function Bar({
  detail,
  edited,
  run: { result, isNew, isRunning, events },
  onChanged,
  children,
}: {
  detail: SessionDetail;
  /** An unsaved target URL. */
  edited: string | undefined;
  run: FollowedRun;
  onChanged: () => Promise<void>;
  children: ComponentChildren;
}) {
  const url = edited ?? detail.target.url;
  return (
    <section class="run-bar" aria-label="Replay">
      <div class="line">
        <h2 id="session" tabIndex={-1}>
          <Text>{detail.title || detail.id}</Text>
        </h2>
        {result !== undefined && <VerdictOf key={result.id} result={result} isNew={isNew} />}
      </div>
      <div class="line about-it">
        <State detail={detail} hasResult={result !== undefined} onChanged={onChanged} />
        {result !== undefined && <Actions key={result.id} result={result} detail={detail} onChanged={onChanged} />}
      </div>
      <div class="line to">
        <button
          type="button"
          class="chip"
          data-missing={url === ''}
          title={`${detail.target.source} Press to change it.`}
          aria-label={url === '' ? 'no target URL' : `Target URL: ${url}${edited === undefined ? '' : ' (edited)'}`}
          onClick={editTarget}
        >
          <span class="where">
            <span aria-hidden="true">→ </span>
            <Text>{url === '' ? 'no target URL' : url}</Text>
            {edited !== undefined && ' (edited)'}
          </span>
        </button>
        {children}
      </div>
      {isRunning && <Progress events={events} />}
    </section>
  );
}

/** Its field may be on another tab. */
function editTarget(): void {
  look({ ...placeIn(new URLSearchParams(location.search)), view: 'session' });
  requestAnimationFrame(() => document.getElementById('target-url')?.focus());
}

/** Once it is there, the reader is taken to it. */
function VerdictOf({ result, isNew }: { result: RunResult; isNew: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isNew) heading.current?.focus();
  }, [isNew]);
  return (
    <h3 id="result" ref={heading} tabIndex={-1}>
      <span class="hidden">Result: </span>
      <Outcome result={result} />
    </h3>
  );
}

/** Whether it can be replayed, in words; never by colour alone. */
function State({
  detail,
  hasResult,
  onChanged,
}: {
  detail: SessionDetail;
  hasResult: boolean;
  onChanged: () => Promise<void>;
}) {
  const { replayable, reason, source, id, agentId, pin } = detail;
  return (
    <div class="state">
      {!replayable && (
        <p class="problem">
          <strong>Not replayable:</strong> <Text>{reason}</Text>. It cannot be run.
        </p>
      )}
      <span class="quiet">
        {replayable && <span class="replayable">✔ replayable</span>}
        <span>{source === 'pinned' ? 'pinned' : 'synced, not pinned'}</span>
        <Text>{id}</Text>
        {agentId !== '' && (
          <span>
            agent <Text>{agentId}</Text>
          </span>
        )}
        {pin !== '' && (
          <span class="pin">
            <Text>{pin}</Text>
          </span>
        )}
      </span>
      {source !== 'pinned' && !hasResult && <PinButton session={id} onPinned={onChanged} />}
    </div>
  );
}
