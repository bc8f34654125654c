import type { Fact } from '../../../report/view/view-shapes.ts';
import { Text } from './text.tsx';
import { Time } from './time.tsx';

/** Names and values as a list of terms. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name, text, hint, time }) => (
        <div key={name}>
          <dt>
            <Text>{name}</Text>
          </dt>
          <dd>
            {time === undefined ? <Text>{text}</Text> : <Time iso={time} />}
            {hint !== undefined && <small>{hint}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
