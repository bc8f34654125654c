import type { Json, ToolAnswer } from '../../contract/index.ts';

/** Where recorded results of tools are had: by an agent that agent-replay has started, and nowhere else. */
export interface Recordings {
  readonly url: string;
  readonly token: string;
  /** Name of the replay's id on the wire. */
  readonly runIdKey: string;
}

/** A tool that did not run, as the recording stands for it and does not hold the call, or as nobody could be asked. */
export class ToolNotReplayed extends Error {
  override readonly name = 'ToolNotReplayed';
}

/** A runner that does not answer in this time is gone, or stopped; it looks up what lies in its memory. */
const ANSWER_MS = 30_000;

/**
 * Asks where the result of a call comes from.
 * @throws ToolNotReplayed when nobody answers: the tool must not run then
 */
export async function ask(
  { url, token, runIdKey }: Recordings,
  runId: string | undefined,
  asked: { readonly name: string; readonly arguments: unknown; readonly call_id?: string | undefined },
): Promise<ToolAnswer> {
  const response = await post(
    url,
    token,
    { ...asked, arguments: asked.arguments ?? null, [runIdKey]: runId },
    asked.name,
  );
  return response as ToolAnswer;
}

/** Tells what a tool gave back, so that ids in it are known again. Whether it arrives changes no result. */
export async function tell(
  { url, token, runIdKey }: Recordings,
  runId: string,
  came: { readonly ticket: number; readonly result: unknown },
): Promise<void> {
  await post(url, token, { ...came, result: came.result ?? null, [runIdKey]: runId }, 'a tool').catch(() => {});
}

/** Says which tools are wrapped; what is not heard of is not trusted. */
export function announce({ url, token }: Recordings, names: readonly string[]): void {
  void post(url, token, { wrapped: names }, 'a tool').catch(() => {});
}

async function post(url: string, token: string, body: unknown, tool: string): Promise<Json> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    text = await response.text();
  } catch (cause) {
    throw new ToolNotReplayed(`${tool} did not run: agent-replay, which has its recorded results, does not answer.`, {
      cause,
    });
  }
  if (!response.ok) throw new ToolNotReplayed(`${tool} did not run: agent-replay answered ${response.status}: ${text}`);
  return JSON.parse(text) as Json;
}
