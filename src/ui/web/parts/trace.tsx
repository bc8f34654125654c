import { useContext, useMemo, useState } from 'preact/hooks';
import { counted, dollars, duration, grouped, runNumbers, textOrJson } from '../../../report/words/pages.ts';
import type { Recording } from '../../../trace/index.ts';
import type { RunToRead } from '../../index.ts';
import { Copy } from './buttons.tsx';
import { LongList } from './long-list.tsx';
import { Letter, Time } from './look.tsx';
import { PlaceContext } from './place.tsx';
import type { TurnResult } from './shapes.ts';
import { safe, Text } from './text.tsx';
import { useKept } from './traces.tsx';
import { seenBehaviours, type Way } from './turns.ts';
import { Value } from './value.tsx';

type Observation = Recording['observations'][number];

/** Deeper observations are not moved further in. */
const MAX_DEPTH = 12;

/** One whole run of a behaviour, or the recording: the tree of observations, with times, tokens and cost. */
export function TracePanel({ turn, behaviour }: { turn: TurnResult; behaviour: Way | undefined }) {
  const [place, go] = useContext(PlaceContext);
  const kept = seenBehaviours(turn).filter(({ cluster }) => cluster.runs.length > 0);
  const hasRuns = (behaviour?.cluster.runs.length ?? 0) > 0;
  const [isRecording, setRecording] = useState(place.run === undefined && !hasRuns);
  const of = isRecording || behaviour === undefined ? null : behaviour.cluster.id;
  const run = useKept(turn.turn, of);
  return (
    <div class="trace-panel">
      <fieldset class="ways">
        <legend class="hidden">Run</legend>
        <button type="button" aria-pressed={of === null} onClick={() => setRecording(true)}>
          the recording
        </button>
        {kept.map((way) => (
          <button
            key={way.letter}
            type="button"
            aria-pressed={way.cluster.id === of}
            onClick={() => {
              setRecording(false);
              go({ turn: turn.turn, behaviour: way.letter, view: 'run' });
            }}
          >
            <Letter way={way} />
            {runNumbers(way.cluster.runs)}
          </button>
        ))}
      </fieldset>
      {run === 'loading' && <p class="quiet">Reading the trace …</p>}
      {run === 'missing' && (
        <p class="quiet">
          This trace is not in here. Where it was kept, it is in the folder <code>traces</code> beside the report.
        </p>
      )}
      {typeof run === 'object' && <Trace key={of} run={run} />}
    </div>
  );
}

/** The observations as a waterfall, one of them shown in full. */
export function Trace({ run: { recording, steps = [], link = '' } }: { run: RunToRead }) {
  const { traceId = '' } = recording;
  const tree = useMemo(() => inOrder(recording.observations), [recording]);
  const [chosen, setChosen] = useState(tree[0]?.observation.id);
  if (tree.length === 0) return <p class="quiet">Nothing was observed of this run: there is its answer alone.</p>;
  const [start, end] = timesOf(recording.observations);
  const total = Math.max(end - start, 1);
  const shown = tree.find(({ observation }) => observation.id === chosen)?.observation;
  return (
    <>
      <p class="quiet line">
        <b>{sums(recording.observations, end - start)}</b>
        <Time iso={new Date(start).toISOString()} />
        {traceId !== '' && (
          <span>
            trace <Text>{traceId}</Text>
          </span>
        )}
        {link !== '' && (
          <a href={link} target="_blank" rel="noreferrer noopener">
            Open it on the platform
          </a>
        )}
        <span class="grow" />
        <Copy text={() => JSON.stringify(recording, null, 2)} label="Copy raw trace" />
      </p>
      <section class="waterfall" aria-label="Observations">
        <LongList
          items={tree}
          keyOf={({ observation }) => observation.id}
          stop={chosen}
          row={({ observation, depth }, tabIndex) => (
            <Bar
              observation={observation}
              depth={depth}
              at={[(Date.parse(observation.startTime) - start) / total, lengthOf(observation) / total]}
              isChosen={observation.id === chosen}
              tabIndex={tabIndex}
              onChoose={() => setChosen(observation.id)}
            />
          )}
        />
      </section>
      {shown !== undefined && (
        <One
          observation={shown}
          from={Date.parse(shown.startTime) - start}
          steps={steps.flatMap(({ number, observationId }) => (observationId === shown.id ? number : []))}
        />
      )}
    </>
  );
}

function Bar({
  observation,
  depth,
  at: [from, length],
  isChosen,
  tabIndex,
  onChoose,
}: {
  observation: Observation;
  depth: number;
  /** As shares of the whole run. */
  at: readonly [from: number, length: number];
  isChosen: boolean;
  tabIndex: number;
  onChoose: () => void;
}) {
  const { type, name, level, endTime } = observation;
  const isError = level === 'ERROR';
  return (
    <button type="button" class="plain span-row" aria-pressed={isChosen} tabIndex={tabIndex} onClick={onChoose}>
      <span class="span-name" title={safe(name)} style={{ '--depth': String(Math.min(depth, MAX_DEPTH)) }}>
        <span class="type" data-kind={type} title={type}>
          <span class="hidden">{type}</span>
        </span>
        <Text>{name}</Text>
        {isError && <span class="error-sign">failed</span>}
      </span>
      <span class="bar-box" aria-hidden="true">
        <span
          class="bar"
          data-kind={type}
          data-error={isError}
          style={{ insetInlineStart: `${Math.min(99.5, from * 100)}%`, width: `${Math.max(0.5, length * 100)}%` }}
        />
      </span>
      <span class="span-time">{endTime === null ? 'not ended' : duration(lengthOf(observation))}</span>
    </button>
  );
}

function One({ observation, from, steps }: { observation: Observation; from: number; steps: readonly number[] }) {
  const { name, type, model = '', statusMessage = '', input, output, endTime } = observation;
  const cost = costOf(observation);
  const facts = [
    type,
    ...(model === '' ? [] : [model]),
    `from ${duration(from)}`,
    endTime === null ? 'not ended' : `for ${duration(lengthOf(observation))}`,
    ...(tokensOf(observation) === '' ? [] : [`${tokensOf(observation)} tokens`]),
    ...(cost === undefined ? [] : [dollars(cost)]),
    ...(steps.length === 0 ? [] : [`${steps.length === 1 ? 'step' : 'steps'} ${steps.join(', ')}`]),
  ];
  return (
    <section class="observation" aria-label="Observation">
      <h3>
        <Text>{name}</Text> <span class="quiet">{safe(facts.join(' · '))}</span>
      </h3>
      {statusMessage !== '' && (
        <p class="problem">
          <Text>{statusMessage}</Text>
        </p>
      )}
      {(
        [
          ['Input', input],
          ['Output', output],
        ] as const
      ).map(([half, value]) => {
        const text = textOrJson(value) ?? '';
        return (
          <section key={half}>
            <h4 class="line">
              {half} <span class="grow" /> {text !== '' && <Copy text={text} />}
            </h4>
            <Value text={text} />
          </section>
        );
      })}
    </section>
  );
}

/** Parents first, then their children, by time. A child of a missing parent stands alone. */
function inOrder(observations: readonly Observation[]): { observation: Observation; depth: number }[] {
  const known = new Set(observations.map(({ id }) => id));
  const sorted = observations.toSorted((a, b) => Date.parse(a.startTime) - Date.parse(b.startTime));
  const children = Map.groupBy(sorted, ({ parentId }) => (parentId !== null && known.has(parentId) ? parentId : null));
  const placed: { observation: Observation; depth: number }[] = [];
  const seen = new Set<string>();
  const under = (id: string | null, depth: number) =>
    (children.get(id) ?? []).map((observation) => ({ observation, depth })).reverse();
  const open = under(null, 0);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    // Two observations may name each other as parent.
    if (seen.has(next.observation.id)) continue;
    seen.add(next.observation.id);
    placed.push(next);
    open.push(...under(next.observation.id, next.depth + 1));
  }
  return placed;
}

function timesOf(observations: readonly Observation[]): [start: number, end: number] {
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { startTime, endTime } of observations) {
    start = Math.min(start, Date.parse(startTime));
    end = Math.max(end, Date.parse(endTime ?? startTime));
  }
  return [start, end];
}

function lengthOf({ startTime, endTime }: Observation): number {
  return endTime === null ? 0 : Date.parse(endTime) - Date.parse(startTime);
}

/** `2.1 s · 10 observations · 1,800 tokens in, 125 out · $0.0050 · gpt-4o-mini`, as far as known. */
function sums(observations: readonly Observation[], ms: number): string {
  const sum = (of: (each: Observation) => number | null | undefined) => {
    const known = observations.flatMap((each) => of(each) ?? []);
    return known.length === 0 ? undefined : known.reduce((total, each) => total + each, 0);
  };
  const [input, output, cost] = [sum(({ usage }) => usage?.input), sum(({ usage }) => usage?.output), sum(costOf)];
  const models = [...new Set(observations.flatMap(({ model }) => model ?? []))];
  return safe(
    [
      duration(ms),
      counted(observations.length, 'observation'),
      ...(input === undefined && output === undefined
        ? []
        : [`${grouped(input ?? 0)} tokens in, ${grouped(output ?? 0)} out`]),
      ...(cost === undefined ? [] : [dollars(cost)]),
      ...models,
    ].join(' · '),
  );
}

function tokensOf({ usage }: Observation): string {
  const told = (count: number | null | undefined) => (count == null ? '–' : grouped(count));
  return usage?.input == null && usage?.output == null ? '' : `${told(usage.input)} → ${told(usage.output)}`;
}

function costOf({ cost }: Observation): number | undefined {
  return cost === undefined ? undefined : (cost.total ?? Object.values(cost).reduce((sum, each) => sum + each, 0));
}
