import type { ComponentChildren } from 'preact';
import { capitalised, IN_OTHER_WORDS, isAsRecorded, lookOf, OUTCOMES } from '../../../report/words/pages.ts';
import { LongList } from './long-list.tsx';
import { Sign } from './look.tsx';
import type { SessionResult } from './shapes.ts';
import { safe, Text } from './text.tsx';
import { stateOf, toldRow } from './what.tsx';

/** A session in a list. */
export interface Listed {
  readonly id: string;
  readonly name: string;
  readonly href: string;
  /** Its result; undefined if it has none yet. */
  readonly result: SessionResult | undefined;
  /** Instead of the result: a run under way. */
  readonly state?: string;
  /** Below the name, where there is no result. */
  readonly about?: string;
}

const NO_RESULT = 'no result yet';
/** Groups of a list, in their order. */
const GROUPS = [
  OUTCOMES.changed.word,
  OUTCOMES.varies.word,
  IN_OTHER_WORDS,
  OUTCOMES['could-not-tell'].plural,
  NO_RESULT,
  OUTCOMES['as-recorded'].word,
];

export function inGroups(sessions: readonly Listed[]): (readonly [name: string, sessions: Listed[]])[] {
  const groups = Map.groupBy(sessions, ({ result }) => (result === undefined ? NO_RESULT : stateOf(result)));
  return GROUPS.flatMap((name) => {
    const own = groups.get(name);
    return own === undefined ? [] : [[capitalised(name), own] as const];
  });
}

/** All sessions, grouped by how they are; each row tells what differs. */
export function SessionList({
  sessions,
  chosen,
  search,
  onGo,
  children,
}: {
  sessions: readonly Listed[];
  /** Id of the open session. */
  chosen: string | undefined;
  search: ComponentChildren;
  /** Instead of following a link. */
  onGo?: (href: string, event: MouseEvent) => void;
  /** Below the list. */
  children?: ComponentChildren;
}) {
  const groups = inGroups(sessions);
  const items = groups.flatMap(([name, own]) => [`${name} · ${own.length}`, ...own]);
  const stop = sessions.find(({ id }) => id === chosen) ?? groups[0]?.[1][0];
  return (
    <nav class="sessions" aria-label="Sessions">
      {search}
      <LongList
        items={items}
        keyOf={(item) => (typeof item === 'string' ? `group ${item}` : item.id)}
        stop={stop?.id}
        row={(item, tabIndex) =>
          typeof item === 'string' ? (
            <h3 class="group">{item}</h3>
          ) : (
            <a
              href={item.href}
              tabIndex={tabIndex}
              aria-current={item.id === chosen ? 'true' : undefined}
              onClick={(event) => onGo?.(item.href, event)}
            >
              <ListRow session={item} />
            </a>
          )
        }
      />
      {children}
    </nav>
  );
}

function ListRow({ session: { name, result, state, about } }: { session: Listed }) {
  const { what, count } = result === undefined ? { what: null, count: '' } : toldRow(result, { isShort: true });
  return (
    <>
      <Sign {...(result && lookOf(result))} />
      <span class="name" title={safe(name)}>
        <Text>{name}</Text>
      </span>
      <span class="more">{result === undefined || isAsRecorded(result.verdict) ? safe(about ?? '') : what}</span>
      <span class="count">{state ?? count}</span>
      {result !== undefined && <span class="hidden">{result.verdict.replaceAll('-', ' ')}</span>}
    </>
  );
}

export function isFound({ id, name, result, about = '' }: Listed, search: string): boolean {
  const { pin = '', agentId = '', verdict = '', turns = [], problems = [] } = result ?? {};
  const text = [
    id,
    name,
    about,
    pin,
    agentId,
    verdict.replaceAll('-', ' '),
    ...turns.flatMap(({ asked = '', comparison: { divergence } }) => [
      asked,
      divergence?.tool ?? '',
      divergence?.cause.kind ?? '',
    ]),
    ...[...problems, ...turns.flatMap((turn) => turn.problems)].map(({ code }) => code),
  ];
  const all = text.join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
