import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Problem } from '../../../report/index.ts';
import { counted } from '../../../report/words/pages.ts';
import type { PlatformHits, SessionHead } from '../../index.ts';
import { ask, problemOf } from './server.ts';

/** A search starts after this pause in typing. */
const TYPING_MS = 120;

type Query = Readonly<Record<'text' | 'agentId' | 'since', string>>;

/** Finds sessions here while a search is typed, and those of the platform when it is told to. */
export function useSearch(query: Query) {
  const { found, problem, again } = useSessions(query);
  const platform = usePlatform(query);
  const here = new Set(found?.map(({ id }) => id));
  const there = platform.hits?.sessions.filter(({ id }) => !here.has(id)) ?? [];
  return {
    found,
    all: [...(found ?? []), ...there],
    problems: [problem, platform.problem].filter((each) => each !== undefined),
    summary: summaryOf(found ?? [], there.length, platform.hits),
    platform,
    again,
  };
}

/** Requested again whenever the search changes or `again` is called. */
function useSessions({ text, agentId, since }: Query) {
  const [found, setFound] = useState<readonly SessionHead[]>();
  const [problem, setProblem] = useState<Problem>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(
      async () => {
        try {
          const query = { text, agentId, since };
          setFound(await ask<SessionHead[]>('/api/sessions', { query, signal: controller.signal }));
          setProblem(undefined);
        } catch (error) {
          if (!controller.signal.aborted) setProblem(problemOf(error));
        }
      },
      round === 0 && text === '' ? 0 : TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, agentId, since, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  return { found, problem, again };
}

/** The platform's answer to a search, while that search stands. It allows few reads, so `start` needs a press. */
function usePlatform({ text, agentId, since }: Query) {
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

function summaryOf(found: readonly SessionHead[], there: number, hits: PlatformHits | undefined): string {
  const count = counted(found.length, 'session');
  if (hits === undefined) return count;
  const { traces, lookedBackTo = '' } = hits;
  const back = lookedBackTo.slice(0, 16).replace('T', ' ');
  const bound = traces === undefined ? '' : `, looking through its newest ${traces} traces, back to ${back}`;
  return `${count} here, ${there === 0 ? 'none' : there} more on the platform${bound}`;
}
