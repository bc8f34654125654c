import { asText, byCodeUnit, isJsonObject, type Json, type JsonObject, jsonIn, parseJson } from '../../json/index.ts';
import { PROJECT_ID, type PublicTrace, publicTrace } from './public-rows.ts';
import { Refusal, type Reply, type Request, type Route } from './server.ts';
import type { TraceStore } from './store.ts';

/** The platform that has this API. */
const API_VERSION = '4.16.0';
/** The platform's default and maximum page size. */
const PAGE = 50;
const MAX_PAGE = 100;
const MAX_ROWS = 1_000;

/** Both generations of the platform's read API on a receiver's data, so that a customer's own scripts work. */
export function publicApi(store: TraceStore): Route[] {
  const all = (): PublicTrace[] => [...store.all()].map(publicTrace);
  const one = (id: string): PublicTrace => {
    const records = store.recordsOf(id);
    if (records === undefined) throw new Refusal(404, `Trace ${id} not found within authorized project`);
    return publicTrace(records);
  };
  const get = (path: RegExp, answer: (query: URLSearchParams, id: string) => Json, isOpen = false): Route => ({
    method: 'GET',
    path,
    isOpen,
    handle: ({ url }: Request): Reply => {
      const id = path.exec(url.pathname)?.[1] ?? '';
      return { status: 200, json: answer(url.searchParams, decoded(id)) };
    },
  });
  return [
    get(/^\/api\/public\/health$/, () => ({ status: 'OK', version: API_VERSION }), true),
    get(/^\/api\/public\/projects$/, () => ({
      data: [
        {
          id: PROJECT_ID,
          name: PROJECT_ID,
          organization: { id: PROJECT_ID, name: PROJECT_ID },
          metadata: {},
        },
      ],
    })),
    get(/^\/api\/public\/traces$/, (query) =>
      page(
        all()
          .filter(({ row }) => isMeant(row, query, TRACE_QUERY))
          .map(({ row }) => row)
          .sort(by('timestamp', query.get('orderBy') === 'timestamp.asc')),
        query,
      ),
    ),
    get(/^\/api\/public\/traces\/([^/]+)$/, (_, id) => one(id).body()),
    get(/^\/api\/public\/sessions$/, (query) =>
      page(
        [...sessionsOf(all()).values()]
          .map((traces) => sessionRow(traces))
          .filter((row) => isMeant(row, query, { from: 'fromTimestamp', to: 'toTimestamp', time: 'createdAt' }))
          .sort(by('createdAt', false)),
        query,
      ),
    ),
    get(/^\/api\/public\/sessions\/([^/]+)$/, (_, id) => {
      const traces = sessionsOf(all()).get(id);
      if (traces === undefined) throw new Refusal(404, 'Session not found within authorized project');
      return { ...sessionRow(traces), traces: traces.map(({ row }) => withoutScores(row)) };
    }),
    get(/^\/api\/public\/observations$/, (query) =>
      page(
        all()
          .flatMap((each) => each.legacyObservations())
          .filter((row) => isMeant(row, query, OBSERVATION_QUERY))
          .sort(by('startTime', false)),
        query,
      ),
    ),
    get(/^\/api\/public\/observations\/([^/]+)$/, (_, id) => {
      const row = all()
        .flatMap((each) => each.legacyObservations())
        .find((observation) => observation.id === id);
      if (row === undefined) throw new Refusal(404, 'Observation not found within authorized project');
      return row;
    }),
    get(/^\/api\/public\/v2\/observations$/, (query) => {
      const traceId = query.get('traceId');
      const records = traceId === null ? undefined : store.recordsOf(traceId);
      const traces = traceId === null ? all() : records === undefined ? [] : [publicTrace(records)];
      const rows = traces
        .flatMap((each) => each.observations())
        .filter((row) => isMeant(row, query, OBSERVATION_QUERY))
        .sort(by('startTime', false));
      return rowsAfter(rows, query);
    }),
  ];
}

/** In lists of sessions, traces have neither. */
function withoutScores({ observations: _, scores: __, ...row }: JsonObject): JsonObject {
  return row;
}

function sessionsOf(traces: readonly PublicTrace[]): Map<string, PublicTrace[]> {
  return Map.groupBy(
    traces.filter(({ trace }) => trace.sessionId !== undefined),
    ({ trace }) => trace.sessionId as string,
  );
}

function sessionRow(traces: readonly PublicTrace[]): JsonObject {
  const first = [...traces].sort((a, b) => (a.trace.timestamp < b.trace.timestamp ? -1 : 1))[0] as PublicTrace;
  const { sessionId, timestamp, environment } = first.trace;
  return {
    id: sessionId ?? '',
    createdAt: timestamp,
    projectId: PROJECT_ID,
    environment: environment ?? 'default',
  };
}

interface TimeQuery {
  /** Parameters that limit the time, and the fields they limit. */
  readonly from: string;
  readonly to: string;
  readonly time: string;
}
const TRACE_QUERY: TimeQuery = { from: 'fromTimestamp', to: 'toTimestamp', time: 'timestamp' };
const OBSERVATION_QUERY: TimeQuery = { from: 'fromStartTime', to: 'toStartTime', time: 'startTime' };

/** Parameters that are compared with the field of the same name. Repeated: any of the values matches; for tags, all must. */
const EQUAL = [
  'userId',
  'name',
  'sessionId',
  'version',
  'release',
  'environment',
  'type',
  'level',
  'traceId',
  'parentObservationId',
  'isRootObservation',
];

function isMeant(row: JsonObject, query: URLSearchParams, { from, to, time }: TimeQuery): boolean {
  const at = Date.parse(asText(row[time]));
  const [after, before] = [query.get(from), query.get(to)].map((text) => moment(text));
  if ((after !== undefined && at < after) || (before !== undefined && at >= before)) return false;
  const tags = Array.isArray(row.tags) ? row.tags : [];
  if (!query.getAll('tags').every((tag) => tags.includes(tag))) return false;
  const areEqual = EQUAL.every((name) => {
    const wanted = query.getAll(name);
    return wanted.length === 0 || wanted.includes(asText(row[name] ?? ''));
  });
  return areEqual && conditionsIn(query.get('filter')).every((condition) => holds(row, condition));
}

function moment(text: string | null): number | undefined {
  if (text === null) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new Refusal(400, 'Invalid request data: a time is no ISO 8601 time');
  return at;
}

function conditionsIn(filter: string | null): JsonObject[] {
  if (filter === null) return [];
  const conditions = jsonIn(filter);
  if (Array.isArray(conditions) && conditions.every(isJsonObject)) return conditions;
  throw new Refusal(400, 'Invalid request data: the filter is no list of conditions');
}

const OPERATORS: Readonly<Record<string, (found: string, wanted: string) => boolean>> = {
  '=': (found, wanted) => found === wanted,
  '<>': (found, wanted) => found !== wanted,
  contains: (found, wanted) => found.includes(wanted),
  'does not contain': (found, wanted) => !found.includes(wanted),
  'starts with': (found, wanted) => found.startsWith(wanted),
  'ends with': (found, wanted) => found.endsWith(wanted),
  '<': (found, wanted) => found < wanted,
  '>': (found, wanted) => found > wanted,
  '<=': (found, wanted) => found <= wanted,
  '>=': (found, wanted) => found >= wanted,
  'any of': (found, wanted) => (parseJson(wanted) as Json[]).includes(found),
  'none of': (found, wanted) => !(parseJson(wanted) as Json[]).includes(found),
};

/** Columns whose names differ from the fields'. */
const COLUMNS: Readonly<Record<string, string>> = { 'Session ID': 'sessionId', 'User ID': 'userId', Name: 'name' };

function holds(row: JsonObject, { column, key, operator, value }: JsonObject): boolean {
  const compare = Object.hasOwn(OPERATORS, asText(operator)) ? OPERATORS[asText(operator)] : undefined;
  if (compare === undefined) throw new Refusal(400, 'Invalid request data: an operator of the filter is not known');
  const name = asText(column);
  const field = row[Object.hasOwn(COLUMNS, name) ? (COLUMNS[name] as string) : name];
  const found = key === undefined ? field : isJsonObject(field) ? at(field, asText(key)) : undefined;
  const wanted = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return compare(typeof found === 'string' ? found : found == null ? '' : JSON.stringify(found), wanted);
}

function at(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function by(time: string, isAscending: boolean): (a: JsonObject, b: JsonObject) => number {
  const sign = isAscending ? 1 : -1;
  return (a, b) => sign * byCodeUnit(asText(a[time]), asText(b[time])) || byCodeUnit(asText(a.id), asText(b.id));
}

function page(rows: readonly JsonObject[], query: URLSearchParams): JsonObject {
  const limit = count(query, 'limit', PAGE, MAX_PAGE);
  const number = count(query, 'page', 1, Number.MAX_SAFE_INTEGER);
  const totalPages = Math.ceil(rows.length / limit);
  return {
    data: rows.slice((number - 1) * limit, number * limit),
    meta: { page: number, limit, totalItems: rows.length, totalPages },
  };
}

function count(query: URLSearchParams, name: string, preset: number, max: number): number {
  const text = query.get(name);
  const number = text === null ? preset : Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new Refusal(400, `Invalid request data: ${name} is from 1 to ${max}`);
}

/** A row's fields in each group, beside the core that it always has. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  basic: ['name', 'level', 'statusMessage', 'version', 'environment', 'bookmarked', 'public', 'userId', 'sessionId'],
  io: ['input', 'output'],
  metadata: ['metadata'],
  time: ['completionStartTime', 'createdAt', 'updatedAt'],
  model: ['model', 'modelParameters'],
  usage: ['usageDetails', 'costDetails', 'totalCost'],
  prompt: ['promptId', 'promptName', 'promptVersion'],
  trace_context: ['tags', 'release', 'traceName'],
};
const CORE = ['id', 'traceId', 'startTime', 'endTime', 'projectId', 'parentObservationId', 'type', 'isRootObservation'];
const ALWAYS = ['modelId', 'inputPrice', 'outputPrice', 'totalPrice', 'latency', 'timeToFirstToken'];

function rowsAfter(rows: readonly JsonObject[], query: URLSearchParams): JsonObject {
  const limit = count(query, 'limit', PAGE, MAX_ROWS);
  const last = positionIn(query.get('cursor'));
  // Rows that come or go in between do not move others across the position.
  const rest = last === undefined ? rows : rows.filter((row) => by('startTime', false)(row, last) > 0);
  const groups = (query.get('fields') || 'basic').split(',');
  const names = new Set([...CORE, ...ALWAYS, ...groups.flatMap((group) => groupNamed(group))]);
  const shown = rest
    .slice(0, limit)
    .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name))));
  const end = rest.length > limit ? rest[limit - 1] : undefined;
  return { data: shown, meta: end === undefined ? {} : { cursor: cursorAt(end) } };
}

function groupNamed(name: string): readonly string[] {
  return Object.hasOwn(GROUPS, name) ? (GROUPS[name] as readonly string[]) : [];
}

function cursorAt({ startTime = null, id = null }: JsonObject): string {
  return Buffer.from(JSON.stringify({ startTime, id })).toString('base64');
}

function positionIn(cursor: string | null): JsonObject | undefined {
  if (cursor === null) return undefined;
  const position = jsonIn(Buffer.from(cursor, 'base64').toString());
  if (isJsonObject(position)) return position;
  throw new Refusal(400, 'Invalid cursor');
}

/** A part of a path, without its escapes. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal(400, `the address holds a broken escape: ${part}`);
  }
}
