import { createHash } from 'node:crypto';
import { type Answered, type Handler, ingestingPlatform } from './platform-server.ts';

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

/** The name that newer servers, the receiver and the SDKs give to a file. */
export function nameOfContent(content: string): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}
