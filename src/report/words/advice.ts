import { isDiverged } from '../../compare/index.ts';
import { acceptFlags, isByModelAlone, liveFirst, type Surroundings } from '../choices.ts';
import { acceptCommand, asFile, RECORDINGS, recordCommand, shellWord } from '../commands.ts';
import type { SessionResult, TurnResult } from '../schema.ts';
import type { CauseRow } from './causes.ts';

/** For a turn that more runs would not settle, or that was tested; undefined if the verdict speaks for itself. */
export function adviceFor(turn: TurnResult, session: Pick<SessionResult, 'pin'>): string | undefined {
  const { comparison, shift } = turn;
  const { verdict, figures, divergence } = comparison;
  const file = shellWord(asFile(session.pin));
  const more = recordCommand([session], ['--more']);
  if (shift?.state === 'shifted') {
    const chance = mayBeChance(turn) ? ` If it may be chance, record more of what the agent did before: ${more}.` : '';
    return `If this is wanted, ${liveFirst([turn])}keep these runs: ${acceptCommand(...acceptFlags([turn]), '--pin', file)}.${chance}`;
  }
  if (shift?.state === 'may-have-shifted')
    return `More recordings would tell: ${more}, made with the agent as it was before.`;
  if (shift !== undefined) return undefined;
  const isOpen = figures.behaviours > 1 && figures.n === figures.behaviours && isDiverged(verdict);
  return isOpen && divergence?.cause.kind === 'environment'
    ? `Every run differs, first in what ${divergence.tool ?? 'a tool'} answers: more runs would not settle it. Give the replays the same data, or leave out what means nothing (compare.ignore).`
    : undefined;
}

/** The first advice on turns that no test has judged. */
export function adviceIn(rows: readonly Pick<CauseRow, 'turn' | 'session'>[]): string | undefined {
  for (const { turn, session } of rows) {
    const advice = turn.shift === undefined ? adviceFor(turn, session) : undefined;
    if (advice !== undefined) return advice;
  }
  return undefined;
}

/** An edit or a tool that is the cause would be recorded, too. */
export function mayBeChance({ shift, comparison: { divergence } }: TurnResult): boolean {
  return shift !== undefined && !['agent', 'environment'].includes(divergence?.cause.kind ?? '');
}

/** Where the model alone did it. @param of what did not; only a comment knows the pull request */
export function noEditWords(turns: readonly TurnResult[], within: Surroundings, of: string): string | undefined {
  return isByModelAlone(turns, within)
    ? `Not caused by ${of}: the model was given what was recorded, and now answers otherwise.`
    : undefined;
}

/** The words of the command that records a session more often, with the agent as it was before. */
export function moreRecordings({ pin }: Pick<SessionResult, 'pin'>): string[] {
  return ['pin', '--runs', String(RECORDINGS), '--more', asFile(pin)];
}
