import { asText, isJsonObject, type Json, type JsonObject, own } from '../json/index.ts';
import { inCausalOrder, type Observation } from '../trace/index.ts';

export interface ProviderFailure {
  /** The HTTP status; undefined if there was no answer, or the trace does not show it. */
  readonly status: number | undefined;
  /** In a word or two: `429`, `connection refused`. */
  readonly reason: string;
  readonly isReached: boolean;
  /** The provider's name and the model, as far as the trace shows them. */
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** Host and port that could not be reached. */
  readonly address: string | undefined;
  /** What the generation says about its error. */
  readonly said: string;
  /** Whether another attempt may succeed. A refused key stays refused. */
  readonly isHiccup: boolean;
}

/**
 * How the model's provider failed a turn, according to the failed generation: unreachable, or status 401, 403, 408, 429 or
 * 5xx. Statuses about a wrong request (400, 404, 422) are the agent's own doing. Undefined if no generation failed this
 * way, or if a later one succeeded: an agent that retried or fell back by itself has answered. Pure.
 */
export function providerFailure(observations: readonly Observation[]): ProviderFailure | undefined {
  const failures = observations.filter((each) => isModelCall(each) && failureOf(each) !== undefined);
  const last = inCausalOrder(failures).at(-1);
  return last === undefined || observations.some((each) => mends(each, last)) ? undefined : failureOf(last);
}

function isModelCall({ type }: Observation): boolean {
  return type === 'generation' || type === 'embedding';
}

/** SDKs measure the end of a span from a start in whole milliseconds, so it can seem up to one later than it is. */
const CLOCK_MS = 1;

function mends(other: Observation, failed: Observation): boolean {
  if (other.type !== 'generation' || other === failed || isFailed(other) || isNothing(other.output)) return false;
  // A span around the failed one went on by itself.
  if (other.id === failed.parentId) return true;
  return Date.parse(other.startTime) >= Date.parse(failed.endTime ?? failed.startTime) - CLOCK_MS;
}

function isFailed(observation: Observation): boolean {
  return observation.level === 'ERROR' || failureOf(observation) !== undefined;
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '';
}

function failureOf(observation: Observation): ProviderFailure | undefined {
  const { output, level, statusMessage, model, modelParameters, metadata } = observation;
  const attributes = isJsonObject(metadata?.attributes) ? metadata.attributes : {};
  const error = errorIn(output);
  // A generation that answered has not failed, whatever its status says.
  if (level !== 'ERROR' && error === undefined && !isNothing(output)) return undefined;
  const said = [statusMessage, textIn(attributes, 'exception.message'), messageOf(error)].find(
    (text) => !isNothing(text),
  );
  const kinds = ['exception.type', 'error.type'].flatMap((key) => textIn(attributes, key) ?? []);
  const text = [...kinds, said ?? ''].join(' ').slice(0, MAX_READ_CHARS);
  const told = reasonIn(text, statusIn(attributes, error) ?? statusSaid(said ?? '') ?? statusSaid(kinds.join(' ')));
  if (told === undefined) return undefined;
  const provider =
    textIn(attributes, 'gen_ai.provider.name') ??
    textIn(attributes, 'gen_ai.system') ??
    textIn(modelParameters ?? {}, 'system');
  const address = ADDRESSES.map((pattern) => pattern.exec(text)?.[1]).find(Boolean) ?? serverIn(attributes);
  return { ...told, provider, model, address, said: said ?? kinds.join(' ') };
}

/** An error names its kind at the start; the text behind that may quote anything. */
const MAX_READ_CHARS = 1_000;

/** In `for url 'https://…'`, `connect ECONNREFUSED 127.0.0.1:4010`, `getaddrinfo ENOTFOUND api.example.com`. */
const ADDRESSES = [
  /\bhttps?:\/\/(?:[^\s/@]*@)?([\w.-]+(?::\d+)?)/,
  /(?<![\w.])((?:\d{1,3}\.){3}\d{1,3}:\d+|\[?::1\]?:\d+|localhost:\d+)/,
  /\bgetaddrinfo \w+ ([\w.-]+)/,
];

function serverIn(attributes: JsonObject): string | undefined {
  const host = textIn(attributes, 'server.address');
  const port = textIn(attributes, 'server.port');
  return host === undefined || port === undefined ? host : `${host}:${port}`;
}

/** What SDK wrappers write as the output of a failed call; undefined for an answer. */
function errorIn(output: Json | undefined): Json | undefined {
  if (typeof output === 'string') return SAID_AS_ERROR.test(output) ? output : undefined;
  if (!isJsonObject(output) || isNothing(output.error)) return undefined;
  return ANSWERS.some((key) => !isNothing(output[key])) ? undefined : output.error;
}

function messageOf(error: Json | undefined): string | undefined {
  if (error === undefined) return undefined;
  return isJsonObject(error) ? (textIn(error, 'message') ?? asText(error)) : asText(error);
}

const SAID_AS_ERROR = /^\W{0,3}(?:[\w.]*(?:Error|Exception)|Error code)\b\s*[:(]/;
const ANSWERS = ['content', 'choices', 'text', 'message', 'output', 'role'];

const STATUS_ATTRIBUTES = ['http.response.status_code', 'http.status_code', 'error.type'];
const STATUS_FIELDS = ['status', 'statusCode', 'status_code', 'code'];

function statusIn(attributes: JsonObject, error: Json | undefined): number | undefined {
  const told = STATUS_ATTRIBUTES.map((key) => attributes[key]);
  const inError = isJsonObject(error) ? STATUS_FIELDS.map((key) => error[key]) : [];
  return [...told, ...inError].map(asStatus).find((status) => status !== undefined);
}

function asStatus(value: Json | undefined): number | undefined {
  return /^[45]\d\d$/.test(asText(value)) ? Number(asText(value)) : undefined;
}

/** `429 Too Many Requests`, `Error: 429 Rate limit`, `status code 503`, `HTTP/1.1 500`, `Error code: 401 - {…}`. */
const SAID_STATUSES = [
  /^\W{0,9}(?:[\w.]{0,99}(?:Error|Exception)\W{1,9})?([45]\d\d)(?=$| [A-Z"{[(]|\s*[-:{])/,
  /\bHTTP(?:\/[\d.]+)?(?: error)?\W{1,2}([45]\d\d)\b/i,
  /\b(?:status|code)(?:[ _]?code)?["']?\s*(?:of |is |[:=]\s*)?([45]\d\d)\b/i,
  /\b([45]\d\d) (?:Unauthorized|Forbidden|Request Timeout|Too Many Requests|Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out|status code)/i,
];

function statusSaid(text: string): number | undefined {
  const read = text.slice(0, MAX_READ_CHARS);
  const found = SAID_STATUSES.map((pattern) => pattern.exec(read)?.[1]).find((status) => status !== undefined);
  return found === undefined ? undefined : Number(found);
}

type Reason = Pick<ProviderFailure, 'status' | 'reason' | 'isReached' | 'isHiccup'>;

const KEY =
  /AuthenticationError|PermissionDenied|LoadAPIKey|UNAUTHENTICATED|API_KEY_INVALID|\b(?:invalid|incorrect|missing|no) (?:\w+ )?(?:api|x-api)[ _-]?key\b|\bapi[ _-]?key (?:is |not )?(?:missing|invalid|not valid|required|not found|valid)|\bUnauthorized\b|could not resolve authentication/i;
const SPENT = /insufficient[ _]quota|exceeded your current quota|credit balance|billing/i;

/** Messages of clients that got no status, or do not report it. */
const SAID: readonly (readonly [RegExp, Reason])[] = [
  [/ECONNREFUSED|connection refused|actively refused/i, unreached('connection refused')],
  [/ENOTFOUND|EAI_AGAIN|getaddrinfo|Name or service not known|name resolution/i, unreached('host not found')],
  [
    /ECONNRESET|^(?:\w* )?terminated$|EPIPE|ECONNABORTED|socket hang up|other side closed|connection (?:was )?(?:reset|closed|aborted)|RemoteProtocolError|Server disconnected/i,
    unreached('connection reset'),
  ],
  [
    /ETIMEDOUT|UND_ERR_\w{0,40}TIMEOUT|APIConnectionTimeoutError|APITimeoutError|(?:Connect|Read)Timeout|request timed out/i,
    unreached('timed out'),
  ],
  [
    /Cannot connect to API|APIConnectionError|Connection error\b|^(?:\w* )?fetch failed|All connection attempts failed|ConnectError|EHOSTUNREACH|ENETUNREACH|UND_ERR_SOCKET|NetworkError/i,
    unreached('no connection'),
  ],
  [/rate.?limit|too many requests|Throttl(?:ed|ing)|RESOURCE_?EXHAUSTED/i, answered(429)],
  [/\boverloaded|OverloadedError/i, answered(undefined, 'overloaded')],
  [
    /InternalServerError|internal server error|Service ?Unavailable|Bad ?Gateway|Gateway ?Time-?out|server had an error|ModelNotReady/i,
    answered(undefined, 'server error'),
  ],
];

function unreached(reason: string): Reason {
  return { status: undefined, reason, isReached: false, isHiccup: true };
}

function answered(status: number | undefined, reason = String(status), isHiccup = true): Reason {
  return { status, reason, isReached: true, isHiccup };
}

/** The status decides; without one, the text does. */
function reasonIn(text: string, status: number | undefined): Reason | undefined {
  if (status === 401 || status === 403) return answered(status, String(status), false);
  if (status === 408 || status === 429 || (status !== undefined && status >= 500)) {
    return answered(status, String(status), !SPENT.test(text));
  }
  // One large provider answers 400 to an unknown key.
  if ((status === undefined || status === 400) && KEY.test(text)) {
    return answered(status, 'key refused', false);
  }
  return status === undefined ? SAID.find(([pattern]) => pattern.test(text))?.[1] : undefined;
}

function textIn(object: JsonObject, key: string): string | undefined {
  const value = own(object, key);
  return isNothing(value) ? undefined : asText(value);
}
