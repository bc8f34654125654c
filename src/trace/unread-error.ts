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
  const found = traces.flatMap(({ observations }) =>
    observations.flatMap((observation) =>
      (observation.unread ?? [])
        .filter((each) => each.degree === degree && !isKnown(observation, each, acknowledged))
        .map(({ attribute }) => ({ step: observation, attribute })),
    ),
  );
  const [first] = found;
  if (first === undefined) return undefined;
  const isDropped = first.attribute.startsWith('dropped');
  const message = isDropped
    ? "The agent's SDK has left out a part of its spans, which is not compared."
    : degree === 'content'
      ? 'The trace holds more about its steps under names that agent-replay does not know. That part is not compared.'
      : 'The trace holds values of steps that agent-replay cannot read, so they would not be compared.';
  const lines = new Set(found.map(({ step, attribute }) => `${step.type} "${step.name}": ${attribute}`));
  return new AgentReplayError('TRACE_UNREAD', message, {
    evidence: [...lines].slice(0, MAX_LINES),
    hint: `${isDropped ? RAISE : TRACE}, or take note of it: tracing: { acknowledge: [{ span: '${first.step.name}', attribute: '${first.attribute}' }] }.`,
  });
}

const RAISE = 'Raise the limits of its SDK (OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT, OTEL_SPAN_EVENT_COUNT_LIMIT)';
const TRACE =
  'Trace the values themselves, under a convention that is known (docs/endpoint.md, "What is read of traces")';

function isKnown({ name }: Observation, { attribute }: Unread, acknowledged: Acknowledged): boolean {
  return acknowledged.some((each) => (each.span === '*' || each.span === name) && each.attribute === attribute);
}
