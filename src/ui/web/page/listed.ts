import type { RunUnderWay, SessionHead } from '../../index.ts';
import type { Listed } from '../parts/list.tsx';
import { NO_RESULT, withQuery } from './address.ts';

/** A session as a row of the list. */
export function listed(
  { id, title, asked, agentId, last }: SessionHead,
  underWay: ReadonlyMap<string, RunUnderWay>,
): Listed {
  const run = underWay.get(id);
  const progress =
    run === undefined
      ? undefined
      : run.isWaiting
        ? 'waits'
        : run.total === 0
          ? 'starting'
          : `${run.came} of ${run.total}`;
  return {
    id,
    name: title || id,
    href: withQuery({ sessionId: id, agentId, ...NO_RESULT }),
    result: last?.isCancelled ? undefined : last?.session,
    state: progress ?? (last?.isCancelled ? '■ cancelled' : undefined),
    about: asked === '' || asked === title ? id : asked,
  };
}
