import { Agent, type IncomingMessage, request } from 'node:http';
import { TOOLS_ENV, type ToolAnswer } from '../contract/index.ts';
import { parseJson } from '../json/index.ts';

/** Where recorded results of tools are had: by an agent that agent-replay has started, and nowhere else. */
export interface Recordings {
  readonly url: string;
  readonly token: string;
  /** Name of the replay's id on the wire. */
  readonly runIdKey: string;
}

/** A call of a tool that is about to be made. */
export interface Asking {
  readonly name: string;
  readonly arguments: unknown;
  readonly call_id?: string | undefined;
  /** It stands between processes, and may not know which replay a call belongs to. */
  readonly shared?: boolean | undefined;
}

/** A tool that did not run, as the recording stands for it and does not hold the call, or as nobody could be asked. */
export class ToolNotReplayed extends Error {
  override readonly name = 'ToolNotReplayed';
}

/** A runner that does not answer in this time is gone, or stopped; it looks up what lies in its memory. */
const ANSWER_MS = 30_000;

/** Kept open from one call to the next. Those that nobody uses keep no process alive. */
const connections = new Agent({ keepAlive: true });

/** @returns undefined where tools are the tools themselves */
export function recordingsIn(environment: NodeJS.ProcessEnv, runIdKey: string): Recordings | undefined {
  const url = environment[TOOLS_ENV.url];
  return url ? { url, token: environment[TOOLS_ENV.token] ?? '', runIdKey } : undefined;
}

/**
 * Asks where the result of a call comes from. Numbers that a double cannot hold are doubles in the answer, as tools give
 * them back; with `exact` they are as they were recorded.
 * @throws ToolNotReplayed when nobody answers: the tool must not run then
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

/** Tells what a tool gave back, so that ids in it are known again. Whether it arrives changes no result. */
export async function tell(
  recordings: Recordings,
  runId: string | undefined,
  came: { readonly ticket: number; readonly result: unknown; readonly shared?: boolean | undefined },
): Promise<void> {
  const body = { ...came, result: came.result ?? null, [recordings.runIdKey]: runId };
  await post(recordings, body, 'a tool').catch(() => {});
}

/**
 * Says which tools are wrapped; what is not heard of is not trusted.
 * @param options.shared their calls may come without the id of a replay
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
    text = await textOf(response);
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
    const signal = AbortSignal.timeout(ANSWER_MS);
    request(url, { method: 'POST', agent: connections, headers, signal }, resolve).on('error', reject).end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
