import { useContext, useEffect, useState } from 'preact/hooks';
import type { LaidStep } from '../../src/report/index.ts';
import { Traces } from './traces.tsx';

/** A step of which a report holds the beginning. */
export interface WholeStep {
  /** `missing`: it is nowhere that this page could look. */
  readonly state: 'cut' | 'loading' | 'whole' | 'missing';
  readonly text: string | undefined;
  readonly load: () => void;
}

/** The whole text of a step, once somebody asks for it. */
export function useWhole(turn: number, of: string, step: LaidStep | null): WholeStep {
  const traces = useContext(Traces);
  const [state, setState] = useState<WholeStep['state']>('cut');
  const [text, setText] = useState<string>();
  useEffect(() => {
    setState('cut');
    setText(undefined);
  }, [turn, of, step?.number, step?.text]);
  const load = async () => {
    setState('loading');
    const trace = await traces?.(turn, of).catch(() => undefined);
    const found = trace?.texts.find(({ number }) => number === step?.number)?.text;
    setText(found);
    setState(found === undefined ? 'missing' : 'whole');
  };
  return { state: traces === undefined ? 'missing' : state, text, load: () => void load() };
}
