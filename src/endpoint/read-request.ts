import { z } from 'zod';
import { wholeBody } from '../bounded/index.ts';
import { type Identifiers, isSameToken, parseReplayRequest, type ReplayRequest, wireNames } from '../contract/index.ts';
import { type Json, JsonError, parseJson, pointerPart } from '../json/index.ts';
import { mistakesIn } from '../mistakes.ts';
import { type Mistake, Refusal } from './refusal.ts';
import { MAX_METADATA_LENGTH } from './turn.ts';

export interface RequestLimits {
  readonly token: string | undefined;
  readonly maxBodyBytes: number;
  readonly identifiers: Identifiers;
}

/**
 * Cheap checks come first, and nothing of a stranger's body is read.
 * @throws Refusal with a status from 400 to 415
 */
export async function readReplayRequest(request: Request, limits: RequestLimits): Promise<ReplayRequest> {
  if (request.method !== 'POST') {
    throw new Refusal(405, 'METHOD_NOT_ALLOWED', 'A replay is sent with POST.', { headers: { allow: 'POST' } });
  }
  if (limits.token !== undefined && !isBearer(request.headers.get('authorization'), limits.token)) {
    throw new Refusal(401, 'UNAUTHORIZED', 'The header authorization does not carry the token of this endpoint.', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  refuseOtherContent(request.headers);
  const body = parseBody(await readText(request, limits.maxBodyBytes));
  return validated(body, Object.fromEntries(request.headers), limits.identifiers);
}

function isBearer(authorization: string | null, token: string): boolean {
  return isSameToken(/^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '', token);
}

/** Anything but JSON could come from a form on any web page, which a browser sends without asking the server first. */
function refuseOtherContent(headers: Headers): void {
  const type = headers.get('content-type') ?? '';
  if (!/^application\/([\w.+-]+\+)?json *(;|$)/i.test(type)) {
    throw new Refusal(415, 'CONTENT_TYPE_UNSUPPORTED', 'The content-type is not application/json.');
  }
  if (!/^(identity)?$/i.test(headers.get('content-encoding') ?? '')) {
    throw new Refusal(415, 'CONTENT_TYPE_UNSUPPORTED', 'The body is compressed. Send it as plain JSON.');
  }
}

async function readText({ headers, body }: Request, maxBytes: number): Promise<string> {
  const tooLarge = new Refusal(413, 'BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes.`);
  if (Number(headers.get('content-length')) > maxBytes) throw tooLarge;
  let whole: Buffer;
  try {
    whole = await wholeBody(body ?? [], maxBytes, () => tooLarge);
  } catch (error) {
    if (error === tooLarge) throw error;
    throw new Refusal(400, 'BODY_INCOMPLETE', 'The body broke off.');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(whole);
  } catch {
    throw new Refusal(400, 'BODY_NOT_JSON', 'The body is not UTF-8 text.');
  }
}

function parseBody(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const where = error.offset === undefined ? '' : `, at offset ${error.offset}`;
    throw new Refusal(400, 'BODY_NOT_JSON', `The body is not JSON${where}: ${error.message}`);
  }
}

function validated(body: Json, headers: Record<string, string>, identifiers: Identifiers): ReplayRequest {
  const { keys } = wireNames(identifiers);
  const request = parsed(body, headers, identifiers);
  const issues: Mistake[] = [];
  // Otherwise a sandbox that depends on it would be off, and the real tools would act.
  if (!request.isReplay) issues.push({ path: pointerPart(keys.isReplay), message: 'must be true' });
  if (request.messages?.length === 0 && request.input === undefined) {
    issues.push({ path: '/messages', message: 'is empty, and there is no input' });
  }
  // If it were cut, the replay's trace could not be found by it.
  if (request.replayRunId !== undefined && request.replayRunId.length > MAX_METADATA_LENGTH) {
    const message = `is longer than the ${MAX_METADATA_LENGTH} characters that tracing SDKs keep`;
    issues.push({ path: pointerPart(keys.replayRunId), message });
  }
  if (issues.length > 0) throw invalid(issues);
  return request;
}

function parsed(body: Json, headers: Record<string, string>, identifiers: Identifiers): ReplayRequest {
  try {
    return parseReplayRequest(body, headers, { identifiers });
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw invalid(
      mistakesIn(error).map(({ path, message }) => ({
        path: path.map((key) => pointerPart(typeof key === 'symbol' ? String(key) : key)).join(''),
        message,
      })),
    );
  }
}

function invalid(issues: readonly Mistake[]): Refusal {
  const list = issues.map(({ path, message }) => `${path || 'body'}: ${message}`).join('; ');
  return new Refusal(400, 'REQUEST_INVALID', `This is not a replay request. ${list}`, { issues });
}
