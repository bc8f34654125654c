import { type Config, variablesOf } from '../config/index.ts';
import type { Plan } from '../job/index.ts';
import { ownSettingsWords } from '../report/index.ts';
import { counted } from '../text/index.ts';
import { printLine } from './lines.ts';
import { fail } from './print.ts';

/** Names alone: which variables the agent gets, and the values of which no output shows. */
function printVariables(config: Config): void {
  const variables = variablesOf(config, process.env);
  if (variables.length === 0) return;
  const all = (is: (typeof variables)[number]['masked']) => variables.filter(({ masked }) => masked === is);
  const names = (some: typeof variables) => some.map(({ name }) => name).join(', ') || 'none';
  const plain = Map.groupBy(all(''), ({ isOwn }) => isOwn);
  printLine(`variables of the agent, masked: ${names(all('always'))}`);
  printLine(`variables of the agent, masked in the action's log alone: ${names(all('action'))}`);
  printLine(
    `variables of the agent, not masked: ${names(plain.get(true) ?? [])}, and ${plain.get(false)?.length ?? 0} of this shell; name secret ones in redact.env`,
  );
}

/** What `run --dry-run` shows. */
export function printPlan(plan: Plan, config: Config): void {
  const { sessions, notReplayed, problems, calls, looks, cost, gates, notes } = plan;
  for (const { pin, turns, runs, own } of sessions) {
    const size = `${counted(turns.length, 'turn')}, ${counted(turns.length * runs.length, 'replay')}`;
    printLine(
      `${pin.path}: ${pin.session.id}, ${size}${own === undefined ? '' : `; its own: ${ownSettingsWords(own)}`}`,
    );
  }
  for (const note of notes) printLine(`note: ${note}`);
  const turns = sessions.reduce((sum, session) => sum + session.turns.length, 0);
  printLine(
    `${counted(sessions.length, 'session')}, ${counted(turns, 'turn')}, ${counted(calls, 'replay')}; nothing was sent`,
  );
  if (gates !== undefined) printLine(`gate: ${gates}`);
  printVariables(config);
  printLine(cost.words);
  if (looks !== undefined) printLine(looks);
  const all = [...problems, ...[...sessions, ...notReplayed].flatMap((session) => session.problems)];
  for (const problem of all) fail(problem);
}
