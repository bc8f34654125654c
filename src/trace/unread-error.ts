import { AgentReplayError } from '../errors.ts';
import type { Observation, Trace, Unread } from './trace.ts';

/** What the user knows of: `*` stands for any span. */
type Acknowledged = readonly { readonly span: string; readonly attribute: string }[];

/** Further lines rarely differ from these. */
const MAX_LINES = 10;

/**
 * Lists values that traces hold under names which nobody reads and the user has not heard of yet. A step that was compared
 * without its value may have changed. Undefined if there is none of that degree.
 */
export function unreadError(
  traces: readonly Pick<Trace, 'observations'>[],
  degree: Unread['degree'],
  acknowledged: Acknowledged,
): AgentReplayError | undefined {
  const lines = new Set(
    traces.flatMap(({ observations }) =>
      observations.flatMap((observation) =>
        (observation.unread ?? [])
          .filter((each) => each.degree === degree && !isKnown(observation, each, acknowledged))
          .map(({ attribute }) => `${observation.type} "${observation.name}": ${attribute}`),
      ),
    ),
  );
  if (lines.size === 0) return undefined;
  const message =
    degree === 'value'
      ? 'The trace holds values of steps that agent-replay cannot read, so they would not be compared.'
      : 'The trace holds more about its steps under names that agent-replay does not know. That part is not compared.';
  const [first = ''] = lines;
  const [span, attribute] = namesIn(first);
  return new AgentReplayError('TRACE_UNREAD', message, {
    evidence: [...lines].slice(0, MAX_LINES),
    hint: `Trace the values themselves, under a convention that is known (docs/endpoint.md, "What is read of traces"), or take note of it: tracing: { acknowledge: [{ span: '${span}', attribute: '${attribute}' }] }.`,
  });
}

function isKnown({ name }: Observation, { attribute }: Unread, acknowledged: Acknowledged): boolean {
  return acknowledged.some((each) => (each.span === '*' || each.span === name) && each.attribute === attribute);
}

/** `tool "search": out.text` -> `search`, `out.text`. */
function namesIn(line: string): [string, string] {
  const [start, end] = [line.indexOf('"') + 1, line.lastIndexOf('": ')];
  return end < start ? ['', ''] : [line.slice(start, end), line.slice(end + 3)];
}
