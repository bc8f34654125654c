import type { Fact } from '../../src/report/view-shapes.ts';
import { Text } from './text.tsx';

/** Names and what they are, as a list of terms. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name, text, hint }) => (
        <div key={name}>
          <dt>
            <Text>{name}</Text>
          </dt>
          <dd>
            <Text>{text}</Text>
            {hint !== undefined && <small>{hint}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
