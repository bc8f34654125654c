import { AgentReplayError } from '../errors.ts';
import { readTextFile } from '../files/index.ts';
import { parseReport, type Report } from '../report/index.ts';

/** @throws AgentReplayError `INPUT_INVALID` if there is none, or if it is none of ours */
export async function readReport(
  file: string,
  hint = 'Run agent-replay first, or name the report.json of a run.',
): Promise<Report> {
  const text = await readTextFile(file).catch((cause: Error) => {
    const evidence = [`looked for: ${file}`];
    throw new AgentReplayError('INPUT_INVALID', 'There is no report of a last run.', { evidence, hint, cause });
  });
  return parseReport(text, file);
}
