import { isUtf8 } from 'node:buffer';
import { ZodError } from 'zod';
import { type Identifiers, outputOfResponse, wireNames } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import { inLanguage, type Language } from '../files/index.ts';
import { type Json, JsonError, parseJson } from '../json/index.ts';
import { mistakeLines } from '../mistakes.ts';
import { withoutHugeTextsIn } from '../trace/index.ts';
import type { Exchange } from './call.ts';
import type { Excerpts } from './excerpt.ts';
import type { ReplayedResponse } from './replay-result.ts';

/** What a call came to, judged by HTTP alone. */
export interface Reading {
  /** Null if no complete response arrived, or none that can be used. */
  readonly response: ReplayedResponse | null;
  /** Why the response alone cannot be compared. */
  readonly error: AgentReplayError | undefined;
  /**
   * With an error: whether a trace may come that explains it. `seldom`: the server refused the request, probably before the
   * agent saw it, or the endpoint could not send the trace. `never`: nothing reached the agent, or the endpoint says so.
   */
  readonly traced: 'maybe' | 'seldom' | 'never';
  /** How many spans of the turn the endpoint counted; undefined if it did not count. */
  readonly spans?: number;
}

interface ReaderOptions {
  readonly outputPointer: string | undefined;
  readonly identifiers: Identifiers | undefined;
  /** Of the agent, for what a message calls things. */
  readonly language: Language | undefined;
  /** Whether a response must contain its output: without traces there is nothing else to compare. */
  readonly needsOutput: boolean;
  readonly excerpts: Excerpts;
  /** For messages. */
  readonly target: string;
}

/** Bytes decoded for an excerpt: enough to recognise a secret that begins in it. */
const SHOWN_BYTES = 64 * 1024;
/** Characters of an excerpt before the mistake that it shows. */
const CONTEXT_CHARS = 100;

export class ResponseReader {
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  read(exchange: Exchange): Reading {
    const { status, error } = exchange;
    if (error !== undefined || status === undefined) {
      const traced = exchange.wasSent && (error?.code === 'CALL_TIMEOUT' || error?.code === 'CALL_FAILED');
      return { response: null, error, traced: traced ? 'maybe' : 'never' };
    }
    if (status >= 300 && status < 400) {
      return { response: null, error: this.#redirected(status, exchange), traced: 'never' };
    }
    const isSuccess = status >= 200 && status < 300;
    let output: Json | undefined;
    try {
      output = this.#output(exchange);
    } catch (failure) {
      if (!(failure instanceof AgentReplayError)) throw failure;
      if (isSuccess) return { response: null, error: failure, traced: 'never' };
    }
    if (isSuccess) return { response: { output }, error: undefined, traced: 'maybe', spans: this.#spans(exchange) };
    const traced = this.#spans(exchange) === 0 ? 'never' : tracedAfter(status, exchange);
    return { response: { output }, error: this.#refused(status, exchange), traced };
  }

  #spans({ headers }: Exchange): number | undefined {
    const value = headers[wireNames(this.#options.identifiers).spansHeader.toLowerCase()];
    return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
  }

  #output(exchange: Exchange): Json | undefined {
    const { outputPointer, identifiers, needsOutput } = this.#options;
    const { body } = exchange;
    if (!isUtf8(body)) throw this.#notJson(exchange, 'it is not UTF-8 text');
    const text = withoutHugeTextsIn(body).toString('utf8');
    // JSON does not allow a byte order mark, and strict readers fail on it.
    if (text.charCodeAt(0) === 0xfeff) throw this.#notJson(exchange, 'it begins with a byte order mark', 0);
    let value: Json;
    try {
      value = parseJson(text);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      throw this.#notJson(exchange, error.message, error.offset);
    }
    try {
      const output = outputOfResponse(value, { outputPointer, identifiers });
      if (output === undefined && (needsOutput || outputPointer !== undefined)) {
        throw this.#invalid(exchange, [
          outputPointer === undefined ? 'the output is under no usual name' : `${outputPointer}: there is no output`,
        ]);
      }
      return output;
    } catch (error) {
      if (!(error instanceof ZodError)) throw error;
      throw this.#invalid(exchange, mistakeLines(error, 'the response'));
    }
  }

  #notJson(exchange: Exchange, reason: string, offset?: number): AgentReplayError {
    const { status, headers, body } = exchange;
    const type = this.#quoted(headers['content-type']);
    const encoding = headers['content-encoding'];
    const isOther = type !== undefined && !/json/i.test(type);
    const what = body.length === 0 ? 'is empty' : isOther ? `is not JSON but "${type}"` : 'is not JSON';
    return new AgentReplayError('RESPONSE_NOT_JSON', `The response ${what}.`, {
      evidence: [
        `target: ${this.#options.target}`,
        `status: ${status}`,
        `content type: ${type === undefined ? 'none' : `"${type}"`}`,
        ...(body.length === 0
          ? []
          : [`${offset === undefined ? '' : `at offset ${offset}: `}${reason}`, this.#around(body, offset)]),
      ],
      hint:
        encoding !== undefined && encoding !== 'identity'
          ? `It is encoded as ${this.#quoted(encoding)} although identity was asked for: switch compression off.`
          : isOther
            ? 'Something other than the replay endpoint may answer there (a login page, a web application): check the target URL.'
            : 'Let the endpoint answer with exactly one JSON object, such as {"output": "..."}.',
    });
  }

  #invalid({ status, body }: Exchange, mistakes: readonly string[]): AgentReplayError {
    const { target, excerpts } = this.#options;
    return new AgentReplayError('RESPONSE_INVALID', 'The response is JSON, but not a replay response.', {
      evidence: [
        `target: ${target}`,
        `status: ${status}`,
        ...mistakes.map((mistake) => excerpts.of(mistake)),
        this.#begins(body),
      ],
      hint: 'Answer with an object that holds "output"; where it is under another name, set outputPointer.',
    });
  }

  #redirected(status: number, { headers }: Exchange): AgentReplayError {
    const location = [headers.location].flat()[0];
    const to = location === undefined ? null : URL.parse(location, this.#options.target);
    // Without credentials and query, which can hold a key or a sign-in in progress.
    const shown = to === null ? 'no valid address' : this.#options.excerpts.of(`${to.origin}${to.pathname}`);
    return new AgentReplayError('RESPONSE_REDIRECT', `The target redirects (status ${status}) to ${shown}.`, {
      evidence: [`target: ${this.#options.target}`, `location: ${shown}`],
      hint: 'Redirects are not followed, as the request may carry secrets: give the final address as target URL.',
    });
  }

  #refused(status: number, { headers, body }: Exchange): AgentReplayError {
    const off = status === 404 ? headers[wireNames(this.#options.identifiers).offHeader.toLowerCase()] : undefined;
    const [said, hint] = off === undefined ? explained(status) : off === 'closed' ? CLOSED : DISABLED;
    const retryAfter = this.#quoted(headers['retry-after']);
    return new AgentReplayError('RESPONSE_STATUS', `The agent answered with status ${status}: ${said}.`, {
      evidence: [
        ...(body.length === 0 ? ['its body is empty'] : [this.#begins(body)]),
        `target: ${this.#options.target}`,
        ...(retryAfter === undefined ? [] : [`retry after: ${retryAfter}`]),
      ],
      hint: inLanguage(this.#options.language, hint),
    });
  }

  /** The body from a little before `offset`. */
  #around(body: Buffer, offset = 0): string {
    const from = Math.max(0, offset - CONTEXT_CHARS);
    return from === 0 ? this.#begins(body) : `body: ${this.#options.excerpts.of(body.toString('utf8'), from)}`;
  }

  #begins(body: Buffer): string {
    return `body: ${this.#options.excerpts.of(body.toString('utf8', 0, SHOWN_BYTES))}`;
  }

  #quoted(value: string | string[] | undefined): string | undefined {
    return value === undefined ? undefined : this.#options.excerpts.of(String(value));
  }
}

/** Statuses with which servers refuse a request before the agent sees it. */
const REFUSALS = new Set([401, 403, 404, 405, 413, 415, 429]);

/** What our endpoint says about the trace of a turn that it took. */
const SAID = { TURN_NOT_TRACED: 'never', TRACE_NOT_SENT: 'seldom' } as const;

function tracedAfter(status: number, { body }: Exchange): Reading['traced'] {
  if (REFUSALS.has(status)) return 'seldom';
  const [, said] = /^\{\s*"error":\s*\{\s*"code":\s*"(\w+)"/.exec(body.toString('latin1', 0, 100)) ?? [];
  return SAID[said as keyof typeof SAID] ?? 'maybe';
}

const opened = (setting: string) =>
  `Let agent-replay start the agent (agent.command): it then hands it a token for the run. Or set ${setting}, with a token.`;
const CLOSED = [
  'its replay endpoint is closed to callers that it does not know',
  { javascript: opened('enabled: true in replayEndpoint'), python: opened('enabled=True in replay_endpoint') },
] as const;
const DISABLED = [
  'its replay endpoint is off',
  { javascript: 'Set enabled: true in replayEndpoint.', python: 'Set enabled=True in replay_endpoint.' },
] as const;

/** What a status means, and what the user does about it. */
const EXPLAINED: ReadonlyMap<number, Explained> = new Map([
  [401, ['it wants other credentials', 'Give them with the setting headers, such as authorization.']],
  [403, ['it does not allow this', 'Check what the credentials in the setting headers may do.']],
  [404, ['there is nothing at this path', 'Is /replay mounted? Check the path of the target URL.']],
  [405, ['it takes no POST at this path', 'Is /replay mounted for POST? Check the path of the target URL.']],
  [413, ['the request is too large for it', "Raise the limit of the agent's server for request bodies."]],
  [415, ['it does not take JSON', 'Let the endpoint accept application/json.']],
  [422, ['it cannot use the request', 'Compare what the endpoint demands with the replay request: messages or input.']],
  [
    429,
    [
      'too many requests',
      'Lower workers, or raise retries; its Retry-After header, if it has one, says when to try again.',
    ],
  ],
  [503, ['it is not available', 'Read its log; lower workers if it is overloaded.']],
]);

function explained(status: number): Explained {
  const known = EXPLAINED.get(status);
  if (known !== undefined) return known;
  if (status >= 500) return ['it failed', 'Mend the error of this request, which its log tells.'];
  if (status >= 400) return ['it refused the request', 'Compare what the endpoint demands with the replay request.'];
  return ['this is no answer', 'Let the endpoint answer with status 200.'];
}

type Explained = readonly [said: string, hint: string];
