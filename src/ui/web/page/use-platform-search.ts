import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../../../report/index.ts';
import { counted } from '../../../report/words/pages.ts';
import type { PlatformHits, SessionHead } from '../../index.ts';
import { ask, problemOf } from './server.ts';

/** The platform's answer to a search, while that search stands. */
interface PlatformSearch {
  readonly isSearching: boolean;
  readonly hits: PlatformHits | undefined;
  readonly problem: Problem | undefined;
  /** The platform allows few reads, so a search needs a press and does not follow the typing. */
  start(): void;
  stop(): void;
}

export function usePlatformSearch({
  text,
  agentId,
  since,
}: {
  text: string;
  agentId: string;
  since: string;
}): PlatformSearch {
  const [running, setRunning] = useState<AbortController>();
  const [hits, setHits] = useState<PlatformHits>();
  const [problem, setProblem] = useState<Problem>();
  const forget = () => {
    setRunning(undefined);
    setHits(undefined);
    setProblem(undefined);
  };
  // Another search makes these hits wrong.
  useEffect(forget, [text, agentId, since]);
  useEffect(() => () => running?.abort(), [running]);
  const start = async () => {
    const controller = new AbortController();
    const { signal } = controller;
    forget();
    setRunning(controller);
    try {
      const found = await ask<PlatformHits>('/api/platform', { query: { text, agentId, since }, signal });
      if (!signal.aborted) setHits(found);
    } catch (error) {
      if (!signal.aborted) setProblem(problemOf(error));
    }
    setRunning((current) => (current === controller ? undefined : current));
  };
  return {
    isSearching: running !== undefined,
    hits,
    problem,
    start: () => void start(),
    stop: () => setRunning(undefined),
  };
}

/** How many were found, and how far the platform was searched. */
export function searchSummary(found: readonly SessionHead[], there: number, hits: PlatformHits | undefined): string {
  const count = counted(found.length, 'session');
  if (hits === undefined) return count;
  const { traces, lookedBackTo = '' } = hits;
  const back = lookedBackTo.slice(0, 16).replace('T', ' ');
  const bound = traces === undefined ? '' : `, looking through its newest ${traces} traces, back to ${back}`;
  return `${count} here, ${there === 0 ? 'none' : there} more on the platform${bound}`;
}
