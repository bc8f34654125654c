import { useContext, useEffect, useState } from 'preact/hooks';
import type { ObservationView, TraceView, TurnView } from '../../../report/view/view-shapes.ts';
import { Copy } from './copy.tsx';
import type { Place } from './place.tsx';
import { Save } from './save.tsx';
import type { StepTable } from './step-table.ts';
import { Text } from './text.tsx';
import { Time } from './time.tsx';
import { Traces } from './traces.tsx';
import { useWindow } from './use-window.ts';
import { pretty } from './value-text.ts';
import { Letter } from './verdict.tsx';

/** Height of a row, as in the style sheet. */
const ROW_PX = 28;

/** One whole run: the tree of observations, with times, tokens and cost. */
export function RunPanel({
  turn,
  table,
  place,
  onChoose,
}: {
  turn: TurnView;
  table: StepTable;
  place: Place;
  onChoose: (place: Partial<Place>) => void;
}) {
  const read = useContext(Traces);
  const kept = [undefined, ...turn.behaviours.filter(({ count }) => count > 0)];
  const [of, setOf] = useState(place.behaviour ?? '');
  const [trace, setTrace] = useState<TraceView | 'loading' | 'missing'>('loading');
  useEffect(() => {
    let isOld = false;
    setTrace('loading');
    const found = read?.view(turn.turn, of) ?? Promise.resolve(undefined);
    void found.catch(() => undefined).then((each) => isOld || setTrace(each ?? 'missing'));
    return () => {
      isOld = true;
    };
  }, [read, turn.turn, of]);
  return (
    <div class="run-panel">
      <fieldset class="choice">
        <legend class="hidden">Run</legend>
        {kept.map((behaviour) => {
          const letter = behaviour?.letter ?? '';
          return (
            <button
              key={letter}
              type="button"
              class="outline small"
              aria-pressed={of === letter}
              onClick={() => {
                setOf(letter);
                if (table.columns.some((each) => each.letter === letter)) onChoose({ behaviour: letter });
              }}
            >
              {behaviour === undefined ? (
                'the recording'
              ) : (
                <>
                  <Letter letter={letter} recorded={behaviour.recorded} /> {behaviour.runs}
                </>
              )}
            </button>
          );
        })}
      </fieldset>
      {trace === 'loading' && <p class="quiet">Reading the trace …</p>}
      {trace === 'missing' && (
        <p class="quiet">
          This trace is not in here. Where it was kept, it is in the folder <code>traces</code> beside the report.
        </p>
      )}
      {typeof trace === 'object' && (
        <Trace key={`${of} ${trace.traceId}`} trace={trace} raw={async () => read?.raw(turn.turn, of)} />
      )}
    </div>
  );
}

/**
 * The observations as a waterfall, one of them shown in full.
 * @param raw all of it as JSON; undefined if not available
 */
export function Trace({ trace, raw }: { trace: TraceView; raw: () => Promise<string | undefined> }) {
  const { observations, durationMs, startedAt, traceId, link, more, cut } = trace;
  const rawText = async () => {
    const text = await raw();
    if (text === undefined) throw new Error('not at hand');
    return text;
  };
  const [chosen, setChosen] = useState(observations.find(({ depth }) => depth === 0)?.id);
  const { box, first, last, onScroll } = useWindow<HTMLDivElement>(observations.length, ROW_PX);
  const shown = observations.find(({ id }) => id === chosen);
  const total = Math.max(durationMs, 1);
  const isCounted = observations.some((each) => tokensOf(each) !== '' || each.cost !== null);
  if (observations.length === 0)
    return <p class="quiet">Nothing was observed of this run: there is its answer alone.</p>;
  return (
    <>
      <p class="quiet line">
        <Sums observations={observations} durationMs={durationMs} />
        {startedAt !== '' && <Time iso={startedAt} />}
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
        <span class="together">
          <Copy text={rawText} label="Copy raw trace" />{' '}
          <Save
            name={`trace-${traceId.replace(/[^\w-]+/g, '-') || 'recording'}.json`}
            text={rawText}
            label="Download raw trace"
            failed="It is in the folder traces of the run"
          />
        </span>
      </p>
      {cut + more > 0 && <p class="quiet cut">{cutText(trace)} The raw trace has all of it.</p>}
      <section class="waterfall" ref={box} onScroll={onScroll} tabIndex={0} aria-label="Observations">
        <ol
          style={{
            '--above': String(first),
            '--below': String(observations.length - last),
            ...(isCounted && { '--tail': '3.2rem 4.6rem 3.2rem' }),
          }}
        >
          {observations.slice(first, last).map((each) => (
            <li key={each.id}>
              <button
                type="button"
                class="ghost span-row"
                aria-pressed={each.id === chosen}
                onClick={() => setChosen(each.id)}
              >
                <span class="span-name" title={each.name} style={{ '--depth': String(Math.min(each.depth, 12)) }}>
                  <span class="type" data-kind={each.type} title={each.type}>
                    <span class="hidden">{each.type}</span>
                  </span>
                  <Text>{each.name}</Text>
                  {each.isError && <span class="error-sign">failed</span>}
                </span>
                <span class="bar-box" aria-hidden="true">
                  <span
                    class="bar"
                    data-kind={each.type}
                    data-error={each.isError}
                    style={{
                      insetInlineStart: `${Math.min(99.5, (each.startMs / total) * 100)}%`,
                      width: `${Math.max(0.5, ((each.durationMs ?? 0) / total) * 100)}%`,
                    }}
                  />
                </span>
                <span class="span-time">{each.durationMs === null ? 'not ended' : duration(each.durationMs)}</span>
                {isCounted && (
                  <>
                    <span class="span-tokens">{tokensOf(each)}</span>
                    <span class="span-cost">{each.cost === null ? '' : money(each.cost)}</span>
                  </>
                )}
              </button>
            </li>
          ))}
        </ol>
      </section>
      {shown !== undefined && <Observation observation={shown} />}
    </>
  );
}

function Sums({ observations, durationMs }: { observations: readonly ObservationView[]; durationMs: number }) {
  const sum = (of: (each: ObservationView) => number | null) => {
    const known = observations.flatMap((each) => of(each) ?? []);
    return known.length === 0 ? undefined : known.reduce((total, each) => total + each, 0);
  };
  const [input, output, cost] = [
    sum(({ inputTokens }) => inputTokens),
    sum(({ outputTokens }) => outputTokens),
    sum((each) => each.cost),
  ];
  const models = [...new Set(observations.map(({ model }) => model))].filter((model) => model !== '');
  const parts = [
    duration(durationMs),
    `${observations.length} ${observations.length === 1 ? 'observation' : 'observations'}`,
    ...(input === undefined && output === undefined ? [] : [`${number(input)} tokens in, ${number(output)} out`]),
    ...(cost === undefined ? [] : [money(cost)]),
    ...models,
  ];
  return <strong>{parts.join(' · ')}</strong>;
}

function Observation({ observation }: { observation: ObservationView }) {
  const { name, type, model, message, input, output, whole, startMs, durationMs, steps } = observation;
  const facts = [
    type,
    ...(model === '' ? [] : [model]),
    `from ${duration(startMs)}`,
    ...(durationMs === null ? ['not ended'] : [`for ${duration(durationMs)}`]),
    ...(tokensOf(observation) === '' ? [] : [`${tokensOf(observation)} tokens`]),
    ...(steps.length === 0 ? [] : [`${steps.length === 1 ? 'step' : 'steps'} ${steps.join(', ')}`]),
  ];
  return (
    <section class="observation" aria-label="Observation">
      <h3>
        <Text>{name}</Text> <span class="quiet">{facts.join(' · ')}</span>
      </h3>
      {message !== '' && (
        <p class="problem">
          <Text>{message}</Text>
        </p>
      )}
      <div class="columns">
        <Half name="Input" text={input} whole={whole.input} />
        <Half name="Output" text={output} whole={whole.output} />
      </div>
    </section>
  );
}

function Half({ name, text, whole }: { name: string; text: string; whole: number | undefined }) {
  return (
    <section>
      <h4 class="line">
        {name} <span class="grow" /> {text !== '' && <Copy text={text} />}
      </h4>
      {text === '' ? (
        <p class="quiet">nothing</p>
      ) : (
        <pre class="value" tabIndex={0} dir="auto">
          {/^\s*[[{]/.test(text) ? pretty(text) : text}
        </pre>
      )}
      {whole !== undefined && (
        <p class="quiet cut">
          {number(text.length)} of {number(whole)} characters are here; the raw trace has them all.
        </p>
      )}
    </section>
  );
}

function cutText({ cut, more }: TraceView): string {
  const parts = [
    ...(more === 0 ? [] : [`${number(more)} further ${more === 1 ? 'observation is' : 'observations are'} left out`]),
    ...(cut === 0 ? [] : [`of ${cut === 1 ? 'one long value' : `${number(cut)} long values`} the beginning is here`]),
  ].join(', and ');
  return `${parts[0]?.toUpperCase() ?? ''}${parts.slice(1)}.`;
}

function tokensOf({ inputTokens, outputTokens }: ObservationView): string {
  if (inputTokens === null && outputTokens === null) return '';
  return `${number(inputTokens ?? undefined)} → ${number(outputTokens ?? undefined)}`;
}

function number(value: number | undefined): string {
  return value === undefined ? '–' : value.toLocaleString('en-US');
}

function money(cost: number): string {
  return `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
