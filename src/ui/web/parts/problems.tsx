import type { ProblemView } from '../../../report/view/view-shapes.ts';
import { Own, Text } from './text.tsx';

/** Why something could not be judged, the evidence, and what to do next. */
export function Problems({ problems }: { problems: readonly ProblemView[] }) {
  return (
    <ul class="problems">
      {problems.map(({ code, where, message, evidence, hint }) => (
        <li key={code + where + message} class="problem">
          <p>
            <code>{code}</code>{' '}
            {where !== '' && (
              <span class="quiet">
                <Text>{where}: </Text>
              </span>
            )}
            <Text>{message}</Text>
          </p>
          {evidence.length > 0 && (
            <pre class="log" tabIndex={0} dir="auto">
              {evidence.join('\n')}
            </pre>
          )}
          {hint !== '' && (
            <p class="hint">
              <span aria-hidden="true">→ </span>
              <Text>
                <Own>{hint}</Own>
              </Text>
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
