import { useMemo, useState } from 'preact/hooks';
import type { SessionView } from '../../../report/index.ts';
import { linkTo } from './place.tsx';
import { Spark } from './spark.tsx';
import { Text } from './text.tsx';
import { Verdict } from './verdict.tsx';
import { Windowed } from './windowed.tsx';

/** All sessions, searched by any of their words and filtered by verdict as you type. */
export function SessionList({
  sessions,
  chosen,
}: {
  sessions: readonly SessionView[];
  chosen: SessionView | undefined;
}) {
  const [search, setSearch] = useState('');
  const [only, setOnly] = useState<ReadonlySet<string>>(new Set());
  const texts = useMemo(() => new Map(sessions.map((each) => [each, textOf(each)])), [sessions]);
  const verdicts = useMemo(() => [...Map.groupBy(sessions, ({ verdict }) => verdict)], [sessions]);
  const words = search.toLowerCase().split(/\s+/);
  const shown = sessions.filter(
    (each) => (only.size === 0 || only.has(each.verdict)) && words.every((word) => texts.get(each)?.includes(word)),
  );
  const toggle = (verdict: string) => {
    const next = new Set(only);
    if (!next.delete(verdict)) next.add(verdict);
    setOnly(next);
  };
  return (
    <nav class="sessions" aria-label="Sessions">
      <input
        type="search"
        id="search"
        aria-label="Search sessions"
        placeholder="Search sessions"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {verdicts.length > 1 && (
        <fieldset class="filters">
          <legend class="hidden">Only sessions that are</legend>
          <button type="button" class="outline small" aria-pressed={only.size === 0} onClick={() => setOnly(new Set())}>
            all {sessions.length}
          </button>
          {verdicts.map(([verdict, all]) => (
            <button
              key={verdict}
              type="button"
              class="outline small"
              aria-pressed={only.has(verdict)}
              onClick={() => toggle(verdict)}
            >
              <span aria-hidden="true">{all[0]?.sign}</span> {verdict.replaceAll('-', ' ')} {all.length}
            </button>
          ))}
        </fieldset>
      )}
      <p class="quiet" role="status">
        {shown.length === sessions.length
          ? `${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'}`
          : `${shown.length} of ${sessions.length} sessions`}
      </p>
      <Windowed
        items={shown}
        keyOf={({ id, pin }) => `${pin} ${id}`}
        row={(session) => (
          <a href={linkTo(session)} aria-current={session === chosen ? 'true' : undefined}>
            <span class="name">
              <Text>{session.name}</Text>
            </span>
            <Verdict {...session} />
            <span class="foot">
              <span class="quiet summary">
                {session.summary === '' ? (
                  `${session.asRecorded} as recorded`
                ) : (
                  <>
                    {session.asRecorded} · <Text>{session.summary}</Text>
                  </>
                )}
              </span>
              {session.trend.length > 1 && <Spark shares={session.trend} />}
            </span>
          </a>
        )}
      />
    </nav>
  );
}

function textOf({ name, id, pin, title, agentId, word, summary, turns, problems }: SessionView): string {
  const causes = turns.map(({ cause }) => cause);
  const codes = [...problems, ...turns.flatMap((turn) => turn.problems)].map(({ code }) => code);
  return [name, id, pin, title, agentId, word, summary, ...causes, ...codes].join('\n').toLowerCase();
}
