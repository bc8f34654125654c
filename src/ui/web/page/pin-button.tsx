import { useState } from 'preact/hooks';
import type { ProblemView } from '../../../report/index.ts';
import { Problems } from '../parts/problems.tsx';
import { ask, problemOf } from './server.ts';

/** Pins an imported session in the project. */
export function PinButton({ session, onPinned }: { session: string; onPinned: (pin: string) => Promise<void> }) {
  const [problem, setProblem] = useState<ProblemView>();
  const pin = async () => {
    try {
      setProblem(undefined);
      const { pin: file } = await ask<{ pin: string }>('/api/pin', { method: 'POST', body: { session } });
      await onPinned(file);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <>
      <button type="button" class="outline small" onClick={pin}>
        Pin this
      </button>
      {problem !== undefined && <Problems problems={[problem]} />}
    </>
  );
}
