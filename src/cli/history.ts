import type { Command } from 'commander';
import { AgentReplayError } from '../errors.ts';
import { readHistory } from '../job/index.ts';
import { outputLook } from './lines.ts';
import { wholeNumber } from './whole-number.ts';

interface HistoryFlags {
  readonly session?: string;
  readonly last?: string;
  readonly json: boolean;
}

export function define(command: Command): void {
  command
    .argument(
      '[file]',
      'the file that runs wrote to (run --history FILE); without it, the runs of the page (ui)',
      '.agent-replay/history.ndjson',
    )
    .option('--session <name>', 'only this session, run by run: its id, or the name or path of its pin')
    .option('--last <n>', 'only the latest N runs (default 30)')
    .option('--json', 'print the trend of each session as JSON', false)
    .action(showHistory);
}

async function showHistory(file: string, { session, last: given, json }: HistoryFlags): Promise<void> {
  const last = wholeNumber('--last', given);
  const history = await readHistory(file);
  const trends = history.trends({ last, session });
  if (session !== undefined && trends.length === 0) {
    throw new AgentReplayError('INPUT_INVALID', `No run in ${file} has a session "${session}".`, {
      evidence: history.trends({ last }).map(({ pin }) => `there is: ${pin}`),
      hint: 'Correct the name, or raise --last.',
    });
  }
  if (json) {
    process.stdout.write(`${JSON.stringify(trends, null, 2)}\n`);
    return;
  }
  process.stdout.write(history.table({ session, last, ...outputLook() }));
}
