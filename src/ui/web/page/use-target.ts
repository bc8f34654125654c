import { useState } from 'preact/hooks';
import type { ProblemView } from '../../../report/index.ts';
import type { SessionDetail } from '../../index.ts';
import { ask, problemOf } from './server.ts';

export type EditedTarget = ReturnType<typeof useTarget>;

/** The target URL as entered, kept until it is saved. */
export function useTarget(detail: SessionDetail | undefined, onSaved: () => Promise<void>) {
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
