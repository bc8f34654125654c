import type { Verdict } from '../../compare/index.ts';
import { counted } from '../../counted.ts';
import type { HistoryEntry } from './history.ts';

/** What an endpoint badge of shields.io is drawn from (https://shields.io/badges/endpoint-badge). */
export interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
}

const DIVERGES_NOT: ReadonlySet<Verdict> = new Set(['reproduced', 'reworded', 'varies', 'inconclusive']);

/** The badge of a run: counts and fixed words only. A doubt is never green, and never red. */
export function badgeOf(
  { status, sessions }: Pick<HistoryEntry, 'status' | 'sessions'>,
  { label = 'agent replay' }: { label?: string } = {},
): Badge {
  const badge = (message: string, color: string): Badge => ({ schemaVersion: 1, label, message, color });
  const of = (part: number) => `${part} of ${counted(sessions.length, 'session')}`;
  const reproduced = sessions.filter(({ verdict }) => verdict === 'reproduced').length;
  const reworded = sessions.filter(({ verdict }) => verdict === 'reworded').length;
  const diverged = sessions.filter(({ verdict, level }) => level === 'error' && !DIVERGES_NOT.has(verdict)).length;
  const varying = sessions.filter(({ verdict }) => verdict === 'varies').length;
  const also = `${reworded > 0 ? `, ${reworded} reworded` : ''}${varying > 0 ? `, ${varying} vary as recorded` : ''}`;
  switch (status) {
    case 'passed':
      return badge(
        `${of(reproduced)} reproduced${also}`,
        reproduced === sessions.length ? 'brightgreen' : 'yellowgreen',
      );
    case 'failed':
      return badge(diverged > 0 ? `${of(diverged)} diverged` : `${of(reworded)} reworded`, 'red');
    case 'error':
      return badge('could not tell', 'lightgrey');
    case 'interrupted':
      return badge('interrupted', 'lightgrey');
  }
}

/** The text of the endpoint file. */
export function renderBadge(badge: Badge): string {
  return `${JSON.stringify(badge, null, 2)}\n`;
}
