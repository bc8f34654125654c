import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { sleep, within } from '../bounded/index.ts';
import { AgentReplayError } from '../errors.ts';
import { isLocal, isUntrusted, lookupWithLoopback, TRUST_IT } from '../http/index.ts';

/** The agent is asked every 10 ms for 2 s, then at intervals that delay us by at most half a percent. */
const MIN_DELAY_MS = 10;
const MAX_DELAY_MS = 250;
const DELAY_SHARE = 0.005;
/** A probe may take as long as all earlier ones together: one lost at start-up costs little, and a slow page still succeeds. */
const MIN_PROBE_MS = 1_000;
/** Loopback accepts or refuses at once. If it does neither, a listener exists whose queue is full. */
const CONNECT_MS = 1_000;

const CONNECTING = { lookup: lookupWithLoopback, autoSelectFamily: true };

/**
 * Resolves when `url` answers with a status that `accepts` takes; redirects count as answers and are not followed.
 * @param options.seen takes the result of each attempt, for the message if it never answers
 * @throws the signal's reason when aborted; AgentReplayError `AGENT_NOT_READY` if waiting cannot help
 */
export async function answers(
  url: URL,
  options: { accepts: (status: number) => boolean; seen: (what: string) => void; signal: AbortSignal },
): Promise<void> {
  const { accepts, seen, signal } = options;
  const started = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const elapsed = performance.now() - started;
    try {
      const { statusCode } = await probe(url, { timeoutMs: Math.max(MIN_PROBE_MS, elapsed), signal });
      const status = statusCode!;
      seen(`status ${status}`);
      if (accepts(status)) return;
    } catch (error) {
      signal.throwIfAborted();
      const { code = '', message } = error as NodeJS.ErrnoException;
      if (isUntrusted(code)) throw untrusted(url, code);
      seen(code === 'ECONNREFUSED' ? 'connection refused' : message || code);
    }
    await sleep(Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, elapsed * DELAY_SHARE)), signal);
  }
}

/** How a program proves that it was started with this run's environment. */
export interface StartProof {
  /** Carries a nonce, and in the answer the proof. */
  readonly header: string;
  readonly of: (nonce: string) => string;
}

/**
 * Asks the answering program, with a GET that takes no turn, whether we started it.
 * @param urls tried in order until one answers the question
 * @returns undefined if none answers it
 */
export async function isProven(
  urls: readonly URL[],
  { header, of }: StartProof,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  const nonce = randomUUID();
  for (const url of urls) {
    const asking = probe(url, { timeoutMs: MIN_PROBE_MS, signal, headers: { [header]: nonce } });
    const said = (await asking.catch(() => undefined))?.headers[header.toLowerCase()];
    signal?.throwIfAborted();
    if (said !== undefined) return said === of(nonce);
  }
  return undefined;
}

/** The address on which somebody already listens for `url`; undefined if its port is free. */
export async function addressInUse(url: URL): Promise<string | undefined> {
  const [host, port, local] = [hostOf(url), portOf(url), isLocal(url)];
  // A listener on 0.0.0.0 or :: also takes the loopback addresses.
  const hosts = local ? new Set(['127.0.0.1', '::1', host]) : new Set([host]);
  const taken = await Promise.all(
    [...hosts].map(async (host) => ((await listens(host, port, local)) ? host : undefined)),
  );
  const address = taken.find((host) => host !== undefined);
  return address && `${net.isIPv6(address) ? `[${address}]` : address}:${port}`;
}

/** The port of a URL, including the default port of its scheme. */
export function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Leaves out credentials and query, which can hold a key. */
export function urlWithoutSecrets(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

interface ProbeOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The head of the answer; its body is not read. */
function probe(url: URL, { timeoutMs, signal, headers }: ProbeOptions): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  // With a connection agent of its own, so that no connection outlives the probe and no proxy is used.
  const request = (url.protocol === 'https:' ? https : http).get(
    url,
    { agent: false, ...(signal && { signal }), ...(headers && { headers }), ...CONNECTING },
    (response) => {
      resolve(response);
      response.destroy();
    },
  );
  request.on('error', reject);
  const timer = setTimeout(() => request.destroy(new Error(`no answer in ${Math.round(timeoutMs)} ms`)), timeoutMs);
  return promise.finally(() => clearTimeout(timer));
}

function listens(host: string, port: number, local: boolean): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = net.connect({ host, port, ...CONNECTING });
  socket.on('connect', () => resolve(true));
  socket.on('error', () => resolve(false));
  return within(CONNECT_MS, promise).then((listens) => {
    socket.destroy();
    return listens ?? local;
  });
}

function untrusted(url: URL, code: string): AgentReplayError {
  return new AgentReplayError('AGENT_NOT_READY', `The TLS certificate of ${url.origin} is not trusted.`, {
    evidence: [`certificate: ${code}`],
    hint: TRUST_IT,
  });
}
