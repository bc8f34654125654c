import { Agent, type IncomingMessage, request } from 'node:http';
import { endingIn, wholeBody } from '../bounded/index.ts';
import { TOOLS_ENV, type ToolAnswer } from '../contract/index.ts';
import { parseJson } from '../json/index.ts';

/** Where an agent gets recorded tool results: only from an agent-replay that started it, and nowhere else. */
export interface Recordings {
  readonly url: string;
  readonly token: string;
  /** Name of the replay's id on the wire. */
  readonly runIdKey: string;
}

/** A tool call about to be made. */
export interface Asking {
  readonly name: string;
  readonly arguments: unknown;
  readonly call_id?: string;
  /** The caller serves several replays, and may not know which one a call belongs to. */
  readonly shared?: boolean;
}

/** A tool that did not run: the recording should answer and does not hold the call, or nobody could be asked. */
export class ToolNotReplayed extends Error {
  override readonly name = 'ToolNotReplayed';
}

/** A runner only looks values up in memory. One that takes longer is gone or stopped. */
const ANSWER_MS = 30_000;
/** Recorded results come from pins, which hold no more. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;

/** Connections stay open between calls, but idle ones keep no process alive. */
const connections = new Agent({ keepAlive: true });

/** @returns undefined if tools are simply called */
export function recordingsIn(environment: NodeJS.ProcessEnv, runIdKey: string): Recordings | undefined {
  const url = environment[TOOLS_ENV.url];
  return url ? { url, token: environment[TOOLS_ENV.token] ?? '', runIdKey } : undefined;
}

/**
 * Asks where the result of a call comes from. Numbers that a double cannot hold are rounded in the answer, as a tool would
 * return them; with `exact` they keep their digits.
 * @throws ToolNotReplayed if nobody answers: then the tool must not run
 */
export async function ask(
  recordings: Recordings,
  runId: string | undefined,
  asked: Asking,
  { exact = false }: { exact?: boolean } = {},
): Promise<ToolAnswer> {
  const body = { ...asked, arguments: asked.arguments ?? null, [recordings.runIdKey]: runId };
  const text = await post(recordings, body, asked.name);
  return (exact ? parseJson(text) : JSON.parse(text)) as unknown as ToolAnswer;
}

/** Reports what a tool returned, so that ids in it are recognised later. Results do not depend on its arrival. */
export async function tell(
  recordings: Recordings,
  runId: string | undefined,
  came: { readonly ticket: number; readonly result: unknown; readonly shared?: boolean },
): Promise<void> {
  const body = { ...came, result: came.result ?? null, [recordings.runIdKey]: runId };
  await post(recordings, body, 'a tool').catch(() => {});
}

/**
 * Reports wrapped tools. A tool that was not reported is not trusted.
 * @param options.shared their calls may come without a replay id
 */
export async function announce(
  recordings: Recordings,
  names: readonly string[],
  options: { readonly shared?: true } = {},
): Promise<void> {
  await post(recordings, { wrapped: names, ...options }, 'a tool').catch(() => {});
}

async function post({ url, token }: Recordings, body: unknown, tool: string): Promise<string> {
  let status: number | undefined;
  let text: string;
  try {
    const response = await sent(url, token, JSON.stringify(body));
    status = response.statusCode;
    text = (await wholeBody(response, MAX_ANSWER_BYTES, () => new Error('its answer is too large'))).toString('utf8');
  } catch (cause) {
    throw new ToolNotReplayed(`${tool} did not run: agent-replay, which has its recorded results, does not answer.`, {
      cause,
    });
  }
  if (status === 200) return text;
  throw new ToolNotReplayed(`${tool} did not run: agent-replay answered ${status}: ${text}`);
}

function sent(url: string, token: string, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const signal = endingIn(ANSWER_MS);
    request(url, { method: 'POST', agent: connections, headers, signal }, resolve).on('error', reject).end(body);
  });
}
