import { createHash, randomBytes } from 'node:crypto';
import { Refusal } from '../../http/index.ts';
import { isJsonObject, type Json } from '../../json/index.ts';
import type { Reply, Request, Route } from './server.ts';

/** All uploads together. They are kept for readers; the comparison does not need them. */
const MAX_BYTES = 64 * 2 ** 20;
/** Of an announcement: it holds a hash, a type and a few ids. */
const MAX_ANNOUNCEMENT_BYTES = 64 * 2 ** 10;
/** Announcements that may wait for their upload. The oldest is dropped, and its upload is refused. */
const MAX_ANNOUNCED = 1_000;
/** Of one file. */
const MAX_ANNOUNCED_AGAIN = 100;
/** The SDK requires the first characters of the hash as the id. */
const ID_CHARS = 22;
/** Links end with the run; clients only need some time. */
const LINK_MS = 24 * 3_600_000;

/** An uploaded file. */
export type Upload = Request['sent'];

interface Media {
  readonly contentType: string;
  readonly contentLength: number;
  uploadedAt: string | undefined;
  content: Upload | undefined;
  /** Requests that announced it before the upload. */
  readonly announced: Request[];
}

/**
 * Takes images and other files, which SDKs cut out of their data and upload separately. They are named by their hash, so an
 * upload proves itself.
 * @param onUploaded called for each announcement whose content has arrived
 */
export function mediaRoutes(
  parsed: (request: Request) => Json,
  onUploaded: (announced: Request, content: Upload) => void,
): Route[] {
  const files = new Map<string, Media>();
  /** Announced but not uploaded yet; oldest first. */
  const waiting = new Set<string>();
  let bytes = 0;
  // Whoever has the link may use it, as with the platform's signed links; links cannot be guessed.
  const secret = randomBytes(18).toString('base64url');
  const link = (host: string, id: string) => `http://${host}/media/${secret}/${id}`;

  const announce = (request: Request): Reply => {
    const body = parsed(request);
    const { sha256Hash, contentType, contentLength } = isJsonObject(body) ? body : {};
    if (typeof sha256Hash !== 'string' || typeof contentType !== 'string' || typeof contentLength !== 'number') {
      throw new Refusal(400, 'Invalid request data: sha256Hash, contentType and contentLength are required');
    }
    const id = idOf(sha256Hash);
    const known = files.get(id);
    if (known?.content !== undefined) {
      onUploaded(request, known.content);
      return { status: 201, json: { mediaId: id, uploadUrl: null } };
    }
    files.set(id, {
      contentType,
      contentLength,
      uploadedAt: undefined,
      content: undefined,
      announced: [...(known?.announced ?? []), request].slice(-MAX_ANNOUNCED_AGAIN),
    });
    waiting.add(id);
    for (const oldest of waiting) {
      if (waiting.size <= MAX_ANNOUNCED) break;
      waiting.delete(oldest);
      files.delete(oldest);
    }
    return { status: 201, json: { mediaId: id, uploadUrl: link(request.host, id) } };
  };

  const announced = (url: URL): Media => {
    const media = files.get(lastPart(url));
    if (media === undefined) throw new Refusal(404, 'this upload was not announced');
    return media;
  };

  const upload = ({ url, body, sent }: Request): Reply => {
    const id = lastPart(url);
    const media = announced(url);
    if (idOf(createHash('sha256').update(body).digest('base64')) !== id) {
      throw new Refusal(400, 'the content is not the one that was announced');
    }
    if (media.content === undefined) bytes += body.length;
    media.content = sent;
    waiting.delete(id);
    for (const request of media.announced.splice(0)) onUploaded(request, sent);
    media.uploadedAt = new Date().toISOString();
    for (const [oldest, { content }] of files) {
      if (bytes <= MAX_BYTES) break;
      files.delete(oldest);
      waiting.delete(oldest);
      bytes -= content?.body.length ?? 0;
    }
    return { status: 200, bytes: new Uint8Array(), contentType: 'text/plain' };
  };

  const found = (url: URL): Media & { content: Upload; uploadedAt: string } => {
    const media = files.get(lastPart(url));
    if (media?.content === undefined || media.uploadedAt === undefined) throw new Refusal(404, 'Media asset not found');
    return { ...media, content: media.content, uploadedAt: media.uploadedAt };
  };

  return [
    { method: 'POST', path: /^\/api\/public\/media$/, bodyBytes: () => MAX_ANNOUNCEMENT_BYTES, handle: announce },
    {
      method: 'PUT',
      path: new RegExp(`^/media/${secret}/[\\w-]+$`),
      isOpen: true,
      bodyBytes: (url) => (announced(url) ? MAX_BYTES : 0),
      handle: upload,
    },
    {
      method: 'PATCH',
      path: /^\/api\/public\/media\/[^/]+$/,
      handle: () => ({ status: 204, bytes: new Uint8Array(), contentType: 'text/plain' }),
    },
    {
      method: 'GET',
      path: /^\/api\/public\/media\/[^/]+$/,
      handle: ({ url, host }) => {
        const { contentType, contentLength, uploadedAt } = found(url);
        const urlExpiry = new Date(Date.now() + LINK_MS).toISOString();
        const mediaId = lastPart(url);
        return {
          status: 200,
          json: { mediaId, contentType, contentLength, uploadedAt, url: link(host, mediaId), urlExpiry },
        };
      },
    },
    {
      method: 'GET',
      path: new RegExp(`^/media/${secret}/[\\w-]+$`),
      isOpen: true,
      handle: ({ url }) => {
        const { content, contentType } = found(url);
        return { status: 200, bytes: content.body, contentType };
      },
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
