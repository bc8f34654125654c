import type { LaidStep } from '../../../report/index.ts';
import { Kind } from './kind.tsx';
import { Text, Value } from './text.tsx';
import { pretty } from './value-text.ts';

/** Longer values, and those with several lines, go below the name. */
const MAX_INLINE_CHARS = 72;
const MAX_FLOWING_CHARS = 400;

/** The steps of one run, one below the other. */
export function StepList({ steps, more }: { steps: readonly LaidStep[]; more: number }) {
  if (steps.length === 0) return <p class="quiet">No step was recorded.</p>;
  return (
    <>
      <ol class="step-list">
        {steps.map(({ number, kind, name, text }) => (
          <li key={number}>
            <span class="number">{number}</span> <Kind kind={kind} />{' '}
            {name !== undefined && (
              <strong>
                <Text>{name}</Text>
              </strong>
            )}{' '}
            {text !== undefined && <StepValue text={text} />}
          </li>
        ))}
      </ol>
      {more > 0 && <p class="quiet">{more} further steps are not shown.</p>}
    </>
  );
}

/** JSON that breaks between its values and not inside them; long JSON has a line per value. */
function inLines(json: string): string {
  const lines = pretty(json);
  return json.length > MAX_FLOWING_CHARS ? lines : lines.replace(/\n */g, ' ');
}

function StepValue({ text }: { text: string }) {
  const isShort = text !== '' && text.length <= MAX_INLINE_CHARS && !text.includes('\n');
  if (!isShort) return <Value>{/^\s*[[{]/.test(text) ? inLines(text) : text}</Value>;
  return (
    <span class="short-value">
      <code class="inline-value" dir="auto">
        {text}
      </code>
    </span>
  );
}
