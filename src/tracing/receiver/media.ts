import { createHash, randomBytes } from 'node:crypto';
import { Refusal } from '../../http/index.ts';
import { isJsonObject, type Json } from '../../json/index.ts';
import type { Reply, Request, Route } from './server.ts';

/** Of one file. */
const MAX_BYTES = 64 * 2 ** 20;
/** Of an announcement: it holds a hash, a type and a few ids. */
const MAX_ANNOUNCEMENT_BYTES = 64 * 2 ** 10;
/** Files that may wait for their upload. The oldest is dropped, and its upload is refused. */
const MAX_ANNOUNCED = 1_000;
/** The SDK requires the first characters of the hash as the id. */
const ID_CHARS = 22;

/**
 * Images and other files, which SDKs cut out of their data and upload separately. Named by their hash, an upload proves
 * itself. None is kept: the comparison does not need them.
 */
export function mediaRoutes(parsed: (request: Request) => Json): Route[] {
  const uploaded = new Set<string>();
  /** Announced files that have not come, oldest first. */
  const waiting = new Set<string>();
  // Whoever has the link may use it, so it cannot be guessed.
  const secret = randomBytes(18).toString('base64url');

  const announce = (request: Request): Reply => {
    const body = parsed(request);
    const { sha256Hash, contentType, contentLength } = isJsonObject(body) ? body : {};
    if (typeof sha256Hash !== 'string' || typeof contentType !== 'string' || typeof contentLength !== 'number') {
      throw new Refusal(400, 'Invalid request data: sha256Hash, contentType and contentLength are required');
    }
    const mediaId = idOf(sha256Hash);
    if (uploaded.has(mediaId)) return { status: 201, json: { mediaId, uploadUrl: null } };
    waiting.add(mediaId);
    const [oldest] = waiting;
    if (waiting.size > MAX_ANNOUNCED && oldest !== undefined) waiting.delete(oldest);
    return { status: 201, json: { mediaId, uploadUrl: `http://${request.host}/media/${secret}/${mediaId}` } };
  };

  const upload = ({ url, body }: Request): Reply => {
    const id = lastPart(url);
    if (idOf(createHash('sha256').update(body).digest('base64')) !== id) {
      throw new Refusal(400, 'the content is not the one that was announced');
    }
    waiting.delete(id);
    uploaded.add(id);
    return { status: 200, bytes: new Uint8Array(), contentType: 'text/plain' };
  };

  const announcedBytes = (url: URL): number => {
    if (!waiting.has(lastPart(url))) throw new Refusal(404, 'this upload was not announced');
    return MAX_BYTES;
  };

  return [
    { method: 'POST', path: /^\/api\/public\/media$/, bodyBytes: () => MAX_ANNOUNCEMENT_BYTES, handle: announce },
    {
      method: 'PUT',
      path: new RegExp(`^/media/${secret}/[\\w-]+$`),
      isOpen: true,
      bodyBytes: announcedBytes,
      handle: upload,
    },
    {
      method: 'PATCH',
      path: /^\/api\/public\/media\/[^/]+$/,
      handle: () => ({ status: 204, bytes: new Uint8Array(), contentType: 'text/plain' }),
    },
  ];
}

/** Of base64, with or without the alphabet for URLs. */
function idOf(hash: string): string {
  return hash.replaceAll('+', '-').replaceAll('/', '_').slice(0, ID_CHARS);
}

function lastPart({ pathname }: URL): string {
  return pathname.slice(pathname.lastIndexOf('/') + 1);
}
