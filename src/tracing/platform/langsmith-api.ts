import { type Identifiers, wireNames } from '../../contract/index.ts';
import { isJsonObject, present } from '../../json/index.ts';
import { textIn } from '../mapping/rows.ts';
import { traceFileReader } from '../mapping/trace-file.ts';
import type { Arrival } from '../mapping/trace-record.ts';
import { EVER, type ReadApi } from './api.ts';
import { type Connection, unexpectedAnswer } from './connection.ts';
import { pages } from './pages.ts';
import type { LangSmithPlace } from './place.ts';
import { type Asked, recordsApi } from './records-api.ts';

/** Runs come whole. */
const PAGE = 100;
const PATH = '/api/v2/runs/query';

/**
 * LangSmith: `POST /api/v2/runs/query`, which its servers have from 0.16 on. Its runs are mapped as its own OpenTelemetry SDK
 * would export them.
 */
export async function langsmithApi(
  connection: Connection,
  { place, identifiers, signal }: { place: LangSmithPlace; identifiers?: Identifiers | undefined; signal: AbortSignal },
): Promise<ReadApi> {
  const project = await projectId(connection, place, signal);
  const read = traceFileReader({ identifiers });
  const { replayRunId } = wireNames(identifiers).keys;
  async function* list(asked: Asked, ending: AbortSignal): AsyncGenerator<Arrival[]> {
    const query = present({
      ...queryOf(asked, replayRunId),
      project_ids: [project],
      selects: SELECTS,
      page_size: PAGE,
    });
    const rows = pages(
      '',
      async (cursor) => {
        const answer = await connection.post(PATH, cursor === '' ? query : { ...query, cursor }, { signal: ending });
        return { body: answer.body, asked: `POST ${PATH}` };
      },
      (answer) => textIn(answer, 'next_cursor'),
      connection.host,
      'items',
    );
    for await (const page of rows) yield read(page);
  }
  return recordsApi('runs', list, { identifiers });
}

/** Its filter language: https://docs.langchain.com/langsmith/trace-query-syntax */
function queryOf(asked: Asked, runIdKey: string): { readonly [key: string]: string | boolean | undefined } {
  switch (asked.ask) {
    case 'check':
      return { min_start_time: new Date().toISOString(), is_root: true };
    case 'list':
      return { min_start_time: asked.since, max_start_time: asked.until, is_root: true };
    case 'session':
      return { min_start_time: EVER, is_root: true, filter: `eq(thread_id, ${JSON.stringify(asked.id)})` };
    case 'replays':
      return { min_start_time: asked.since, filter: `eq(metadata_key, ${JSON.stringify(runIdKey)})` };
    case 'trace':
      return { min_start_time: asked.since, trace_id: asked.id };
  }
}

/** @throws AgentReplayError `PLATFORM_UNEXPECTED_ANSWER` if no project has that name */
async function projectId(connection: Connection, { project }: LangSmithPlace, signal: AbortSignal): Promise<string> {
  const { body } = await connection.get('/api/v1/sessions', { name: project, limit: 1 }, { signal });
  const [found] = Array.isArray(body) ? body : [];
  const id = isJsonObject(found) ? textIn(found, 'id') : undefined;
  if (id === undefined) {
    throw unexpectedAnswer(connection.host, `GET /api/v1/sessions: no project has the name ${JSON.stringify(project)}`);
  }
  return id;
}

const SELECTS = [
  'ID',
  'NAME',
  'RUN_TYPE',
  'STATUS',
  'START_TIME',
  'END_TIME',
  'ERROR',
  'EXTRA',
  'METADATA',
  'INPUTS',
  'OUTPUTS',
  'PARENT_RUN_IDS',
  'PROJECT_ID',
  'TRACE_ID',
  'DOTTED_ORDER',
  'PROMPT_TOKENS',
  'COMPLETION_TOKENS',
  'TOTAL_TOKENS',
];

/** The variables from which an agent's SDK takes the project. */
export function langsmithEnvironment({ host, apiKey, project, workspace }: LangSmithPlace): Record<string, string> {
  return {
    LANGSMITH_TRACING: 'true',
    LANGSMITH_ENDPOINT: host,
    LANGSMITH_API_KEY: apiKey,
    LANGSMITH_PROJECT: project,
    ...present({ LANGSMITH_WORKSPACE_ID: workspace }),
  };
}
