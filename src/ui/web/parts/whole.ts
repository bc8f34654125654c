import { useContext, useEffect, useState } from 'preact/hooks';
import type { LaidStep } from '../../../report/index.ts';
import { Traces } from './traces.tsx';

/** A step that the report cuts. */
export interface WholeStep {
  /** `missing`: nowhere that this page can look. */
  readonly state: 'loading' | 'whole' | 'missing';
  readonly text: string | undefined;
}

/** The whole text of a step, read as soon as the step is selected, because the difference may be behind the cut. */
export function useWhole(turn: number, of: string, step: LaidStep | null): WholeStep {
  const traces = useContext(Traces);
  const [state, setState] = useState<WholeStep['state']>('loading');
  const [text, setText] = useState<string>();
  const [number, isCut] = [step?.number, step?.whole !== undefined];
  useEffect(() => {
    let isOld = false;
    setText(undefined);
    if (!isCut) return;
    setState('loading');
    const trace = traces?.view(turn, of) ?? Promise.resolve(undefined);
    void trace
      .then((read) => read?.texts.find((each) => each.number === number)?.text)
      .catch(() => undefined)
      .then((found) => {
        if (isOld) return;
        setText(found);
        setState(found === undefined ? 'missing' : 'whole');
      });
    return () => {
      isOld = true;
    };
  }, [traces, turn, of, number, isCut]);
  return { state, text };
}
