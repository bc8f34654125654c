import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../../../report/index.ts';
import type { RunEvent, RunResult } from '../../index.ts';
import { ask, listen, problemOf } from './server.ts';

/** The followed run of a session, and the shown result. */
export interface FollowedRun {
  readonly isRunning: boolean;
  readonly events: readonly RunEvent[];
  readonly result: RunResult | undefined;
  /** The result belongs to the run that was just followed. */
  readonly isNew: boolean;
  readonly problem: Problem | undefined;
  start(wanted: { session: string; agentId: string; runs: number; url?: string }): Promise<void>;
  cancel(): Promise<void>;
}

/** The run of a session, and one of its results: that of the run, or the one in the address. */
export function useRun({
  session,
  result: named,
  onResult,
  onOver,
}: {
  session: string;
  /** Id of a kept result; empty for none. */
  result: string;
  /** Called with the result of a run, so that it gets an address. */
  onResult: (id: string) => void;
  /** Called when a run is over, because there is a new result. */
  onOver: () => Promise<void>;
}): FollowedRun {
  const [isRunning, setRunning] = useState(false);
  const [events, setEvents] = useState<readonly RunEvent[]>([]);
  const [result, setResult] = useState<RunResult>();
  const [newest, setNewest] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const id = useRef('');
  const leaving = useRef(new AbortController());

  const follow = useCallback(
    async (run: string) => {
      const { signal } = leaving.current;
      id.current = run;
      setRunning(true);
      setResult(undefined);
      let seen: readonly RunEvent[] = [];
      for await (const event of listen<RunEvent>('/api/events', { query: { id: run }, signal })) {
        seen = [...seen, event];
        setEvents(seen);
        if (event.kind === 'done') {
          setResult(event.result);
          setNewest(event.result.id);
          onResult(event.result.id);
        }
        if (event.kind === 'failed') setProblem(event.problem);
      }
      setRunning(false);
      await onOver();
    },
    [onOver, onResult],
  );
  /** Does something, and says why if it fails. */
  const attempt = useCallback(async (what: () => Promise<void>) => {
    try {
      setProblem(undefined);
      await what();
    } catch (error) {
      if (leaving.current.signal.aborted) return;
      setRunning(false);
      setProblem(problemOf(error));
    }
  }, []);

  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    // A page that reconnects follows the running replay.
    void attempt(async () => {
      const { id: underWay } = await ask<{ id: string }>('/api/run', { query: { session } });
      if (underWay !== '' && !controller.signal.aborted) await follow(underWay);
    });
    return () => controller.abort();
  }, [session, follow, attempt]);

  useEffect(() => {
    if (named === '') {
      if (!isRunning) setResult(undefined);
    } else if (named !== result?.id) {
      void attempt(async () => setResult(await ask<RunResult>('/api/result', { query: { session, id: named } })));
    }
    // A result is fetched when its address is opened, and not because something else changes.
  }, [session, named, attempt]);

  return {
    isRunning,
    events: result === undefined || result.id === newest ? events : [],
    result,
    isNew: result !== undefined && result.id === newest,
    problem,
    start: (wanted) =>
      attempt(async () => {
        setEvents([]);
        const { id: started } = await ask<{ id: string }>('/api/runs', { method: 'POST', body: wanted });
        await follow(started);
      }),
    cancel: () => attempt(() => ask('/api/cancel', { method: 'POST', body: { id: id.current } })),
  };
}
