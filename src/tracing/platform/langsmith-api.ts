import { type Identifiers, wireNames } from '../../contract/index.ts';
import { isJsonObject, type JsonObject, present } from '../../json/index.ts';
import { textIn } from '../mapping/rows.ts';
import { traceFileReader } from '../mapping/trace-file.ts';
import type { Arrival } from '../mapping/trace-record.ts';
import { EVER, type ReadApi, type TimeRange } from './api.ts';
import { type Connection, unexpectedAnswer } from './connection.ts';
import { listedTraces } from './held-traces.ts';
import { pages } from './pages.ts';
import type { LangSmithPlace } from './place.ts';

/** Runs come whole. */
const PAGE = 100;

/** What is asked of either version of its API. */
interface RunQuery {
  readonly since: string;
  readonly until?: string | undefined;
  readonly traceId?: string;
  readonly isRoot?: boolean;
  /** Its filter language: https://docs.langchain.com/langsmith/trace-query-syntax */
  readonly filter?: string;
}

/** One version of the API: how to write a query, and where its answer contains the runs. */
interface Dialect {
  readonly path: string;
  body(project: string, query: RunQuery, cursor: string | undefined): JsonObject;
  readonly rows: string;
  next(answer: JsonObject): string | undefined;
}

/**
 * LangSmith: `POST /api/v2/runs/query`, or `POST /api/v1/runs/query` on servers before 0.16. Its runs are mapped as its own
 * OpenTelemetry SDK would export them.
 */
export async function langsmithApi(
  connection: Connection,
  { place, identifiers, signal }: { place: LangSmithPlace; identifiers?: Identifiers | undefined; signal: AbortSignal },
): Promise<ReadApi> {
  const project = await projectId(connection, place, signal);
  const read = traceFileReader({ identifiers });
  const dialect = await spoken(connection, project, signal);
  const { keys } = wireNames(identifiers);

  async function* runs(query: RunQuery, ending: AbortSignal): AsyncGenerator<Arrival[]> {
    const list = pages(
      '',
      async (cursor) => {
        const body = dialect.body(project, query, cursor === '' ? undefined : cursor);
        const answer = await connection.post(dialect.path, body, { signal: ending });
        return { body: answer.body, asked: `POST ${dialect.path}` };
      },
      (answer) => dialect.next(answer),
      connection.host,
      dialect.rows,
    );
    for await (const page of list) yield read(page);
  }

  const questions = {
    replays: (since: string) => ({ since, filter: `eq(metadata_key, ${JSON.stringify(keys.replayRunId)})` }),
    trace: (traceId: string, since: string) => ({ traceId, since }),
    session: (id: string) => [{ since: EVER, isRoot: true, filter: `eq(thread_id, ${JSON.stringify(id)})` }],
    roots: (range: TimeRange) => ({ ...range, isRoot: true }),
  };
  return { name: 'runs', probe: async () => true, ...listedTraces(runs, questions, { identifiers }) };
}

/** The newer version if the server has it, because the older one is going away. */
async function spoken(connection: Connection, project: string, signal: AbortSignal): Promise<Dialect> {
  const asked = VERSION_TWO.body(project, { since: new Date().toISOString(), isRoot: true }, undefined);
  const { status } = await connection.post(VERSION_TWO.path, asked, { signal });
  return status === 404 ? VERSION_ONE : VERSION_TWO;
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

const VERSION_TWO: Dialect = {
  path: '/api/v2/runs/query',
  rows: 'items',
  body: (project, { since, until, traceId, isRoot, filter }, cursor) =>
    present({
      project_ids: [project],
      min_start_time: since,
      max_start_time: until,
      trace_id: traceId,
      is_root: isRoot,
      filter,
      selects: SELECTS,
      page_size: PAGE,
      cursor,
    }),
  next: (answer) => textIn(answer, 'next_cursor'),
};

const VERSION_ONE: Dialect = {
  path: '/api/v1/runs/query',
  rows: 'runs',
  body: (project, { since, traceId, isRoot, filter }, cursor) =>
    present({
      session: [project],
      start_time: since,
      trace: traceId,
      is_root: isRoot,
      filter,
      select: SELECTS.filter((name) => name !== 'METADATA' && name !== 'PROJECT_ID')
        .map((name) => name.toLowerCase())
        .concat('parent_run_id', 'session_id'),
      limit: PAGE,
      cursor,
    }),
  next: ({ cursors }) => (isJsonObject(cursors) ? textIn(cursors, 'next') : undefined),
};

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
  'TAGS',
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
