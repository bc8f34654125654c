import type { SessionHead } from '../../index.ts';
import { note } from './address.tsx';

type Test = (session: SessionHead) => boolean;

/** Filters of a list, in groups. A session must match one pressed filter of each group that has any. */
const GROUPS: Readonly<Record<'last' | 'source', Readonly<Record<string, Test>>>> = {
  last: {
    passed: ({ last }) => last?.passed === true,
    'not passed': ({ last }) => last?.passed === false,
    'never run': ({ last, source }) => last === undefined && source !== 'platform',
  },
  source: {
    pinned: ({ source }) => source === 'pinned',
    synced: ({ source }) => source === 'synced',
  },
};
type Group = keyof typeof GROUPS;

export type Pressed = Readonly<Record<Group, readonly string[]>>;

/** The pressed filters, as in the address. */
export function pressedIn(query: URLSearchParams): Pressed {
  const of = (group: Group) => (query.get(group) ?? '').split(',').filter((name) => Object.hasOwn(GROUPS[group], name));
  return { last: of('last'), source: of('source') };
}

/** The sessions that match the pressed filters; all without any. */
export function filtered(sessions: readonly SessionHead[], pressed: Pressed): SessionHead[] {
  const groups = (Object.keys(GROUPS) as Group[]).filter((group) => pressed[group].length > 0);
  return sessions.filter((session) =>
    groups.every((group) => pressed[group].some((name) => GROUPS[group][name]?.(session))),
  );
}

/** A chip for each kind of session; pressed chips narrow the list. */
export function Filters({ sessions, pressed }: { sessions: readonly SessionHead[]; pressed: Pressed }) {
  const toggle = (group: Group, name: string) => {
    const { [group]: before } = pressed;
    note({ [group]: (before.includes(name) ? before.filter((each) => each !== name) : [...before, name]).join(',') });
  };
  const isAny = pressed.last.length + pressed.source.length > 0;
  const chips = (Object.keys(GROUPS) as Group[]).flatMap((group) =>
    Object.entries(GROUPS[group])
      .map(([name, test]) => ({ group, name, count: sessions.filter(test).length }))
      // A property that all of them share filters nothing.
      .filter(({ name, count }) => (count > 0 && count < sessions.length) || pressed[group].includes(name)),
  );
  if (chips.length === 0) return null;
  return (
    <fieldset class="filters">
      <legend class="hidden">Only sessions that are</legend>
      <button type="button" class="outline small" aria-pressed={!isAny} onClick={() => note({ last: '', source: '' })}>
        all {sessions.length}
      </button>
      {chips.map(({ group, name, count }) => (
        <button
          key={name}
          type="button"
          class="outline small"
          aria-pressed={pressed[group].includes(name)}
          onClick={() => toggle(group, name)}
        >
          {name} {count}
        </button>
      ))}
    </fieldset>
  );
}
