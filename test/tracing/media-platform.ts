import { createHash, randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '../../src/json/index.ts';
import { type Answered, type Handler, ingestingPlatform, platform } from './platform-server.ts';

/** Keeps files that SDKs upload, under the names that `nameOf` gives them, and answers the rest as this platform does. */
export function withMedia(rest: Handler, nameOf: (sha256: string) => string): Handler {
  const names = new Map<string, string>();
  const files = new Map<string, string>();
  return (url, request, body): Answered | undefined => {
    const address = (id: string) => `http://${request.headers.host}/storage/${id}`;
    const id = url.pathname.split('/').at(-1) as string;
    if (url.pathname.startsWith('/storage/')) {
      if (request.method === 'PUT') files.set(id, body.toString());
      return { status: 200, body: files.get(id) ?? '' };
    }
    if (!url.pathname.startsWith('/api/public/media')) return rest(url, request, body);
    if (request.method === 'PATCH') return { status: 200, body: {} };
    if (request.method === 'GET') return { status: 200, body: { mediaId: id, url: address(id) } };
    const { sha256Hash } = JSON.parse(body.toString()) as { sha256Hash: string };
    const mediaId = names.get(sha256Hash) ?? nameOf(sha256Hash);
    names.set(sha256Hash, mediaId);
    return { status: 201, body: { mediaId, uploadUrl: files.has(mediaId) ? null : address(mediaId) } };
  };
}

/** Version 4: files are named by their content. */
export function platform4(): Handler {
  return withMedia(ingestingPlatform(), (hash) => hash.replaceAll('+', '-').replaceAll('/', '_').slice(0, 22));
}

/** Version 2.95: files are named by chance. */
export function platform2(): Handler {
  return withMedia(takingEvents(), () => randomUUID());
}

interface Event {
  readonly id: string;
  readonly type: string;
  readonly body: JsonObject & { readonly id: string; readonly traceId?: string };
}

/** Takes the events of the older SDK, and gives out traces in the shape of the recorded ones. */
function takingEvents(): Handler {
  const traces = new Map<string, JsonObject>();
  const observations = new Map<string, JsonObject>();
  const take = ({ type, body }: Event): void => {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
    if (type === 'trace-create') traces.set(body.id, { ...traces.get(body.id), ...given });
    const [kind, isObservation] = [type.split('-')[0] as string, /^(?:span|generation)-/.test(type)];
    if (!isObservation) return;
    const before = observations.get(body.id) ?? {
      type: kind.toUpperCase(),
      level: 'DEFAULT',
      parentObservationId: null,
    };
    observations.set(body.id, { ...before, ...given });
  };
  const stored = () => ({
    traces: [...traces.values()].map((trace) => ({
      ...trace,
      tags: [],
      observations: [...observations.values()].filter(({ traceId }) => traceId === trace.id),
    })) as JsonObject[],
  });
  const reads = platform('v2', stored);
  return (url, request, body): Answered | undefined => {
    if (url.pathname !== '/api/public/ingestion') return reads(url, request, body);
    const { batch } = JSON.parse(body.toString()) as { batch: Event[] };
    // The SDK may send an update before what it updates.
    for (const event of batch.toSorted((a, b) => weight(a) - weight(b))) take(event);
    return { status: 207, body: { successes: batch.map(({ id }) => ({ id, status: 201 })), errors: [] } as Json };
  };
}

function weight({ type }: Event): number {
  return type.endsWith('-update') ? 1 : 0;
}

/** The name that newer servers, the receiver and the SDKs give to a file. */
export function nameOfContent(content: string): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}
