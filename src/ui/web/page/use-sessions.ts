import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Problem } from '../../../report/index.ts';
import type { SessionHead } from '../../index.ts';
import { ask, problemOf } from './server.ts';

/** A search starts after this pause in typing. */
const TYPING_MS = 120;

/** The sessions that are searched for, requested whenever the search changes or `again` is called. */
export function useSessions({ text, agentId, since }: Readonly<Record<'text' | 'agentId' | 'since', string>>) {
  const [shown, setShown] = useState<{ readonly found: readonly SessionHead[]; readonly isSearch: boolean }>();
  const [problem, setProblem] = useState<Problem>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(
      async () => {
        try {
          const query = { text, agentId, since };
          const found = await ask<SessionHead[]>('/api/sessions', { query, signal: controller.signal });
          // While somebody types, all sessions are not called matches.
          setShown({ found, isSearch: text + agentId + since !== '' });
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
  return { found: shown?.found, isSearch: shown?.isSearch ?? false, problem, again };
}
