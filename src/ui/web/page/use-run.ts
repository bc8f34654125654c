import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../../../report/index.ts';
import type { RunResult, RunUnderWay } from '../../index.ts';
import { ask, problemOf, watch } from './server.ts';

/** The followed run of a session, and the shown result. */
export interface FollowedRun {
  /** The run that is under way. */
  readonly now: RunUnderWay | undefined;
  readonly isRunning: boolean;
  /** Of the run that is under way, or has just ended. */
  readonly notes: readonly string[];
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
  const [last, setLast] = useState<RunUnderWay>();
  const [result, setResult] = useState<RunResult>();
  const [problem, setProblem] = useState<Problem>();
  const id = useRef('');
  const leaving = useRef(new AbortController());

  const follow = useCallback(
    async (run: string) => {
      const { signal } = leaving.current;
      id.current = run;
      setRunning(true);
      setResult(undefined);
      try {
        for await (const now of watch<RunUnderWay>('/api/run', { query: { id: run }, signal })) {
          setLast(now);
          if (now.result === undefined) continue;
          setResult(now.result);
          onResult(now.result.id);
          return;
        }
      } finally {
        if (!signal.aborted) {
          setRunning(false);
          await onOver();
        }
      }
    },
    [onOver, onResult],
  );
  /** Does something, and says why if it fails. */
  const attempt = useCallback(async (what: () => Promise<void>) => {
    const { signal } = leaving.current;
    try {
      setProblem(undefined);
      await what();
    } catch (error) {
      if (!signal.aborted) setProblem(problemOf(error));
    }
  }, []);

  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    // A page that reconnects follows the running replay.
    void attempt(async () => {
      const all = await ask<RunUnderWay[]>('/api/runs', { signal: controller.signal });
      const own = all.find((run) => run.session === session);
      if (own !== undefined) await follow(own.id);
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

  const isNew = result !== undefined && result.id === last?.id;
  return {
    now: isRunning ? last : undefined,
    isRunning,
    notes: isRunning || isNew ? (last?.notes ?? []) : [],
    result,
    isNew,
    problem,
    start: (wanted) =>
      attempt(async () => follow((await ask<{ id: string }>('/api/runs', { method: 'POST', body: wanted })).id)),
    cancel: () => attempt(() => ask('/api/cancel', { method: 'POST', body: { id: id.current } })),
  };
}
