import { useContext, useEffect, useState } from 'preact/hooks';
import type { LaidStep } from '../../src/report/index.ts';
import { Traces } from './traces.tsx';

/** A step of which a report holds the beginning. */
export interface WholeStep {
  /** `missing`: it is nowhere that this page could look. */
  readonly state: 'loading' | 'whole' | 'missing';
  readonly text: string | undefined;
}

/** The whole text of a step: it is read as soon as the step is looked at, as what differs may be behind the cut. */
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
