import { isDiverged } from '../../compare/index.ts';
import type { TurnShift } from '../../shift/index.ts';
import type { SessionResult, TurnResult } from '../schema.ts';
import { fileWord } from './words.ts';

/** As many recordings as `init` and `doctor` recommend for an agent that varies. */
const RECORDINGS = 10;

/**
 * One line of advice for a turn whose replays disagree too much to settle it; undefined if the verdict speaks for itself.
 * Recommends more runs only if they will probably settle it.
 */
export function adviceFor({ comparison, shift }: TurnResult, { pin }: Pick<SessionResult, 'pin'>): string | undefined {
  if (shift !== undefined) return shiftAdvice(shift, fileWord(pin));
  const { verdict, figures, divergence } = comparison;
  const { n, behaviours } = figures;
  if (behaviours < 2 || !isDiverged(verdict)) return undefined;
  const isOpen = n === behaviours;
  const file = fileWord(pin);
  if (!isOpen) {
    return divergence?.cause.kind === 'environment'
      ? undefined
      : `Replays do not agree with each other. If the agent was good in this run, keep them: ${keepRuns(file)}.`;
  }
  const why = n === behaviours ? 'Every run differs' : 'Most behaviours were seen only once';
  if (divergence?.cause.kind === 'environment') {
    return `${why}, first in what ${divergence.tool ?? 'a tool'} answers: more runs would not settle it. Give the replays the same data, or leave out what means nothing (compare.ignore).`;
  }
  return `${why}: more runs would not settle it. Record how the agent varies: keep these runs (${keepRuns(file)}), or make ${RECORDINGS} (\`agent-replay pin --runs ${RECORDINGS} ${file}\`).`;
}

function keepRuns(file: string): string {
  return `\`agent-replay accept --as-recordings --pin ${file}\``;
}

/** An intended change is recorded; an unexpected one is checked with more recordings of the earlier behaviour. */
function shiftAdvice({ state }: TurnShift, file: string): string | undefined {
  switch (state) {
    case 'shifted':
      return `If this is wanted, keep these runs: ${keepRuns(file)}. If nothing was changed, record more of what the agent did before the change: \`agent-replay pin --runs ${RECORDINGS} --more ${file}\`.`;
    case 'may-have-shifted':
      return `More recordings would tell: \`agent-replay pin --runs ${RECORDINGS} --more ${file}\`, made with the agent as it was before.`;
    default:
      return undefined;
  }
}
