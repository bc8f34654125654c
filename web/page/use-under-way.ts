import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { RunUnderWay } from '../../src/dashboard/index.ts';
import { ask } from './server.ts';

/** How often is asked while something is under way. A stream would hold one of the six connections of each tab. */
const ASKED_MS = 1_000;

/** All runs that are under way, by session, whichever tab has started them. */
export function useUnderWay(onOver: () => void): {
  readonly underWay: ReadonlyMap<string, RunUnderWay>;
  /** To be called when a run was started. */
  look(): void;
} {
  const [runs, setRuns] = useState<readonly RunUnderWay[]>([]);
  const [round, setRound] = useState(0);
  const before = useRef(0);
  useEffect(() => {
    const controller = new AbortController();
    let timer = 0;
    const look = async () => {
      const now = await ask<RunUnderWay[]>('/api/runs', { signal: controller.signal }).catch(() => undefined);
      if (now === undefined || controller.signal.aborted) return;
      setRuns(now);
      if (now.length < before.current) onOver();
      before.current = now.length;
      if (now.length > 0) timer = window.setTimeout(look, ASKED_MS);
    };
    void look();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [round, onOver]);
  const look = useCallback(() => setRound((count) => count + 1), []);
  return { underWay: new Map(runs.map((run) => [run.session, run])), look };
}
