import { toProblem } from '../../report/index.ts';
import type { RunAbout } from '../records/about.ts';
import type { JournalHeader } from '../records/journal-format.ts';
import type { RunSettings } from '../records/run-settings.ts';
import { type RunPlan, scopeOf } from './plan.ts';

/** @param plan of the run, or of this shard */
export function journalHeader(about: RunAbout, settings: RunSettings, plan: RunPlan): JournalHeader {
  const scope = scopeOf(plan);
  return {
    ...about,
    settings,
    whole: plan.part?.whole,
    inAll: plan.part?.sessions,
    made: [...scope.runs],
    sessions: scope.sessions.map(({ pin, turns, runs, own, gate, quarantine, problems }) => {
      const { id, title, agentId } = pin.session;
      const made = runs.join() !== scope.runs.join() && { made: [...runs] };
      const told = { id, path: pin.path, title, agentId, turns: [...turns], ...(own && { own }), ...made };
      return { ...told, gate, quarantine, problems: problems.map(toProblem) };
    }),
    problems: scope.problems.map(toProblem),
  };
}
