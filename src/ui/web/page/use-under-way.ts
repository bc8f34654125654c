import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { RunUnderWay } from '../../index.ts';
import { ASKED_MS, ask } from './server.ts';

/** All running replays by session, whichever tab started them. */
export function useUnderWay(onOver: () => void): {
  readonly underWay: ReadonlyMap<string, RunUnderWay>;
  /** Call this after starting a run. */
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
