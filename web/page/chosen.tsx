import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { SessionDetail } from '../../src/dashboard/index.ts';
import type { ProblemView } from '../../src/report/index.ts';
import { Problems } from '../parts/problems.tsx';
import { Text } from '../parts/text.tsx';
import { go, Link, note, withQuery } from './address.tsx';
import { Live } from './live.tsx';
import { Outcome } from './outcome.tsx';
import { Past } from './past.tsx';
import { PinButton } from './pin-button.tsx';
import { Progress } from './progress.tsx';
import { Recorded } from './recorded.tsx';
import { Result } from './result.tsx';
import { Run, type Wanted } from './run.tsx';
import { ask, problemOf } from './server.ts';
import { NO_RESULT } from './session-pane.tsx';
import { Splitter, usePaneWidth } from './splitter.tsx';
import { Target } from './target.tsx';
import { useRun } from './use-run.ts';

interface Place {
  readonly sessionId: string;
  readonly agentId: string;
  /** A result that is kept; empty for none. */
  readonly resultId: string;
}

/** One session: the bar from which it is run, what came of it, what was recorded, and beside them where it goes to. */
export function Chosen({
  place: { sessionId, agentId, resultId },
  agents,
  onChanged,
}: {
  place: Place;
  agents: readonly string[];
  /** There is a result or a pin more. */
  onChanged: () => void;
}) {
  const [detail, setDetail] = useState<SessionDetail>();
  const [problem, setProblem] = useState<ProblemView>();
  const load = useCallback(async () => {
    try {
      const known = await ask<SessionDetail>('/api/session', { query: { id: sessionId, agentId } });
      setDetail(known);
      setProblem(undefined);
      // An address that names the session alone says whose it is, too, from now on.
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
    // What was chosen is seen from its top, wherever the one before was left; by a key, its bar comes next.
    scrollTo({ top: 0 });
    if (isThere && document.activeElement === document.body) document.getElementById('session')?.focus();
  }, [isThere]);
  const run = useRun({ session: sessionId, result: resultId, onResult: show, onOver: load });
  const target = useTarget(detail, load);
  const [width, setWidth] = usePaneWidth('details', 260);
  if (detail === undefined) {
    return problem === undefined ? <p role="status">Looking for the session …</p> : <Problems problems={[problem]} />;
  }
  const start = ({ once, ...wanted }: Wanted) =>
    run.start({ session: sessionId, agentId, ...wanted, ...(once === undefined ? {} : { url: once }) });
  return (
    <div class="panes" style={{ '--side': `${width}px` }}>
      <div class="middle">
        <p class="back">
          <Link to="/reproducibility" current={false}>
            ← All sessions
          </Link>
        </p>
        {problem !== undefined && <Problems problems={[problem]} />}
        <Bar detail={detail} edited={target.edited} run={run} onPinned={load}>
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
        {run.events.length > 0 && <Live events={run.events} isRunning={run.isRunning} />}
        {run.result !== undefined && (
          <Result key={run.result.id} result={run.result} isNew={run.isNew} detail={detail} onChanged={load} />
        )}
        <Recorded detail={detail} isOpen={run.result === undefined && !run.isRunning} />
      </div>
      <Splitter label="Width of the details" width={width} isRight onWidth={setWidth} />
      <section class="card side" aria-labelledby="replay">
        <h2 id="replay">Replay it</h2>
        {detail.target.agentId === '' && agents.length > 1 && (
          <p class="problem">
            <strong>Which agent?</strong> The session does not say it: enter the agent id, one of {agents.join(', ')}.
          </p>
        )}
        {agentId !== '' && detail.agentId !== '' && agentId !== detail.agentId && (
          <p class="problem">
            <strong>Another agent:</strong> the session was recorded of <Text>{detail.agentId}</Text>, the address names{' '}
            <Text>{agentId}</Text>. It is replayed against <Text>{detail.agentId}</Text>.
          </p>
        )}
        <Target target={detail.target} {...target} onEdit={target.edit} onSave={target.save} />
        <Past
          detail={detail}
          shown={run.result?.id}
          onShow={(id) => {
            show(id);
            scrollTo({ top: 0 });
          }}
        />
      </section>
    </div>
  );
}

/** The target URL as it is entered, and kept until it is saved. */
function useTarget(detail: SessionDetail | undefined, onSaved: () => Promise<void>) {
  const [edited, setEdited] = useState<string>();
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<ProblemView>();
  return {
    edited,
    said,
    problem,
    edit: (url: string | undefined) => {
      setEdited(url);
      setProblem(undefined);
      setSaid('');
    },
    save: async () => {
      try {
        await ask('/api/target', { method: 'PUT', body: { agentId: detail?.target.agentId ?? '', url: edited ?? '' } });
        setProblem(undefined);
        setEdited(undefined);
        setSaid('Saved');
        await onSaved();
        return true;
      } catch (error) {
        setSaid('');
        setProblem(problemOf(error));
        return false;
      }
    },
  };
}

/** Stays in sight: which session, where it goes to, Run, how far it is, and the verdict. */
function Bar({
  detail,
  edited,
  run: { result, isRunning, events },
  onPinned,
  children,
}: {
  detail: SessionDetail;
  /** A target URL that is not saved. */
  edited: string | undefined;
  run: ReturnType<typeof useRun>;
  onPinned: () => Promise<void>;
  children: ComponentChildren;
}) {
  const url = edited ?? detail.target.url;
  return (
    <section class="run-bar" aria-label="Replay">
      <div class="line">
        <h2 id="session" tabIndex={-1}>
          <Text>{detail.title || detail.id}</Text>
        </h2>
        {result !== undefined && <Outcome result={result} />}
      </div>
      <div class="line">
        <button
          type="button"
          class="chip"
          data-missing={url === ''}
          title={`${detail.target.source} Press to change it.`}
          aria-label={`Target URL: ${url === '' ? 'none' : url}${edited === undefined ? '' : ' (edited)'}`}
          onClick={() => document.getElementById('target-url')?.focus()}
        >
          <span aria-hidden="true">→ </span>
          <Text>{url === '' ? 'no target URL' : url}</Text>
          {edited !== undefined && ' (edited)'}
        </button>
        <span class="grow" />
        {children}
      </div>
      {isRunning && <Progress events={events} />}
      <State detail={detail} onPinned={onPinned} />
    </section>
  );
}

/** Whether it can be replayed, in words; never by colour alone. */
function State({ detail, onPinned }: { detail: SessionDetail; onPinned: () => Promise<void> }) {
  return (
    <div class="state">
      {detail.replayable ? (
        <span class="badge" data-verdict="reproduced">
          ✔ replayable
        </span>
      ) : (
        <p class="problem">
          <strong>Not replayable:</strong> <Text>{detail.reason}</Text>. It cannot be run.
        </p>
      )}
      <span class="badge">{detail.source === 'pinned' ? 'pinned' : 'synced, not pinned'}</span>
      {detail.source !== 'pinned' && <PinButton session={detail.id} onPinned={onPinned} />}
      <span class="quiet">
        <Text>{detail.id}</Text>
        {detail.agentId !== '' && (
          <>
            , agent <Text>{detail.agentId}</Text>
          </>
        )}
        {detail.pin !== '' && (
          <>
            , <Text>{detail.pin}</Text>
          </>
        )}
      </span>
    </div>
  );
}
