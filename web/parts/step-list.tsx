import type { LaidStep } from '../../src/report/index.ts';
import { Text, Value } from './text.tsx';

/** The steps of one run, one below the other. */
export function StepList({ steps, more }: { steps: readonly LaidStep[]; more: number }) {
  if (steps.length === 0) return <p class="quiet">No step was recorded.</p>;
  return (
    <>
      <ol class="step-list">
        {steps.map(({ number, kind, name, text }) => (
          <li key={number}>
            <span class="number">{number}</span> <span class="kind">{kind}</span>{' '}
            {name !== undefined && (
              <strong>
                <Text>{name}</Text>
              </strong>
            )}
            {text !== undefined && <Value>{text}</Value>}
          </li>
        ))}
      </ol>
      {more > 0 && <p class="quiet">{more} further steps are not shown.</p>}
    </>
  );
}
