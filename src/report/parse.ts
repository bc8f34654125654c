import { AgentReplayError } from '../errors.ts';
import { isJsonObject, type Json, JsonError, parseJson } from '../json/index.ts';
import { mistakeLines, PLAINLY } from '../mistakes.ts';
import { REPORT_VERSION, type Report, report } from './schema.ts';

/** Number of a report's mistakes that are shown: the first ones usually cause the rest. */
const MAX_MISTAKES = 5;

/**
 * Parses the text of a `report.json`.
 * @param file its origin, for the message
 * @throws AgentReplayError `INPUT_INVALID` if it is not a report, or one of a newer version
 */
export function parseReport(text: string, file = 'report.json'): Report {
  const value = parse(text, file);
  if (isJsonObject(value) && typeof value.version === 'number' && value.version > REPORT_VERSION) {
    throw new AgentReplayError(
      'INPUT_INVALID',
      `${file} was made by a newer version of agent-replay (report ${value.version}, this one reads ${REPORT_VERSION}).`,
      { location: { file, pointer: '/version' }, hint: 'Update agent-replay.' },
    );
  }
  const parsed = report.safeParse(value, PLAINLY);
  if (parsed.success) return parsed.data;
  throw new AgentReplayError('INPUT_INVALID', `${file} is not a report of agent-replay.`, {
    location: { file },
    evidence: mistakeLines(parsed.error, 'the whole file').slice(0, MAX_MISTAKES),
    hint: 'Give the report.json that a run has written, unchanged.',
  });
}

function parse(text: string, file: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new AgentReplayError('INPUT_INVALID', `${file} is not valid JSON: ${error.message}.`, { location: { file } });
  }
}
