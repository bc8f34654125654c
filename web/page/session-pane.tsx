import { useMemo, useState } from 'preact/hooks';
import type { Overview, SessionHead } from '../../src/dashboard/index.ts';
import { Problems } from '../parts/problems.tsx';
import { Text } from '../parts/text.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { Windowed } from '../parts/windowed.tsx';
import { addressOf, go, Link } from './address.tsx';
import type { FoundSessions } from './sessions.ts';
import { Sync } from './sync.tsx';

/** Which sessions are listed, by their newest result. */
const FILTERS = {
  all: () => true,
  passed: ({ last }: SessionHead) => last?.passed === true,
  'not passed': ({ last }: SessionHead) => last?.passed === false,
  'never run': ({ last }: SessionHead) => last === undefined,
} as const;
type Filter = keyof typeof FILTERS;

/** All sessions of the project, each with how it fared last. The first thing to be seen. */
export function SessionPane({
  sessionId,
  agentId,
  overview,
  sessions: { found, problem, again },
  text,
  onText,
}: {
  sessionId: string;
  agentId: string;
  overview: Overview;
  sessions: FoundSessions;
  /** What is searched for; undefined until something was typed. */
  text: string | undefined;
  onText: (text: string | undefined) => void;
}) {
  const [agent, setAgent] = useState(agentId);
  const [filter, setFilter] = useState<Filter>('all');
  const id = (text ?? sessionId).trim();
  const shown = useMemo(() => (found ?? []).filter(FILTERS[filter]), [found, filter]);
  const open = () => {
    // A whole id is meant as one, also where other sessions speak of it.
    const hit = found?.find((each) => each.id === id) ?? (text === undefined ? undefined : shown[0]);
    go('/reproducibility', { sessionId: hit?.id ?? id, agentId: agent.trim() });
    onText(undefined);
  };
  return (
    <nav class="sessions" aria-label="Sessions">
      <form
        class="pick"
        onSubmit={(event) => {
          event.preventDefault();
          if (id !== '') open();
        }}
      >
        <label>
          Session id, or words to search for
          <input
            type="search"
            value={text ?? sessionId}
            autocomplete="off"
            placeholder="search, or paste an id"
            onInput={({ currentTarget }) => onText(currentTarget.value)}
          />
        </label>
        <label>
          Agent id
          <input
            list="agents"
            value={agent}
            autocomplete="off"
            placeholder="as recorded"
            onInput={({ currentTarget }) => setAgent(currentTarget.value)}
          />
          <datalist id="agents">
            {overview.agents.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </datalist>
        </label>
        <button type="submit" class="outline" disabled={id === ''}>
          Open
        </button>
      </form>
      <fieldset class="filters">
        <legend class="hidden">By the last result</legend>
        {(Object.keys(FILTERS) as Filter[]).map((name) => (
          <button
            key={name}
            type="button"
            class="outline small"
            aria-pressed={name === filter}
            onClick={() => setFilter(name)}
          >
            {name} {(found ?? []).filter(FILTERS[name]).length}
          </button>
        ))}
      </fieldset>
      {problem !== undefined && <Problems problems={[problem]} />}
      {found?.length === 0 && (
        <p class="quiet">
          {text === undefined || text === ''
            ? 'No session is here yet: sync some from the platform, or write one with `agent-replay record` or `agent-replay pin`.'
            : 'No session here holds these words. Open asks the platform for a session of this id.'}
        </p>
      )}
      {shown.length > 0 && (
        <Windowed
          items={shown}
          keyOf={({ id }) => id}
          row={(session) => (
            <Link
              to={addressOf('/reproducibility', { sessionId: session.id, agentId: session.agentId || agent.trim() })}
              current={session.id === sessionId}
            >
              <Row session={session} />
            </Link>
          )}
        />
      )}
      <Sync platform={overview.platform} onDone={again} />
    </nav>
  );
}

function Row({
  session: { id, title, agentId, turns, recordedAt, source, replayable, last },
}: {
  session: SessionHead;
}) {
  const facts = [
    ...(title === '' ? [] : [id]),
    ...(agentId === '' ? [] : [agentId]),
    `${turns} ${turns === 1 ? 'turn' : 'turns'}`,
    ...(source === 'pinned' ? [] : ['imported']),
    ...(replayable === false ? ['not replayable'] : []),
    ...(recordedAt === '' ? [] : [`recorded ${ago(recordedAt)}`]),
  ];
  return (
    <>
      <span class="name">
        <Text>{title || id}</Text>
      </span>
      {last === undefined ? <span class="quiet">never run</span> : <Verdict {...last} word={last.verdict} />}
      <span class="quiet summary">
        <Text>{facts.join(' · ')}</Text>
      </span>
    </>
  );
}

const AGES: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const age = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `3 days ago`. */
export function ago(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1_000;
  const [unit, size] = AGES.find(([, size]) => Math.abs(seconds) >= size) ?? ['minute', 60];
  return age.format(Math.round(seconds / size), unit);
}
