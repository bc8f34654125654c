import { fileURLToPath } from 'node:url';
import { type AgentOptions, startAgent } from '../../src/agent/index.ts';
import { type Config, parseConfig } from '../../src/config/index.ts';
import { type JobOptions, runJob } from '../../src/job/index.ts';
import { openReplays, type ReplayResult } from '../../src/replay/index.ts';
import type { Report } from '../../src/report/index.ts';
import { recordingOf, type Session, savePin } from '../../src/session/index.ts';
import type { Trace } from '../../src/trace/index.ts';
import { startReceiver } from '../../src/tracing/index.ts';
import { freePort } from '../agent/processes.ts';
import { folderWith } from '../config/folder.ts';

export const SDKS = ['langfuse-5', 'langfuse-3', 'otel-json', 'otel-proto'] as const;

export interface Agent {
  readonly sdk: (typeof SDKS)[number];
  /** Characters of the tool's result. */
  readonly payload: number;
  readonly workers: number;
  /**
   * The interval of the SDK's timer, in milliseconds: the one that the product sets, or the SDK's default, which a
   * customer has kept.
   */
  readonly intervalMs?: number | undefined;
  readonly sessions?: number | undefined;
  readonly runs?: number | undefined;
  /** Whether a call whose connection broke off is sent again. */
  readonly idempotent?: boolean | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Builds extends AsyncDisposable {
  /** Replays all sessions against an agent of its own, as a build does. */
  build(options?: JobOptions): Promise<Report>;
}

const LAST_QUIET_MS = 1_000;
const LAST = 'last';

/** A project of an agent that does the same each time, with sessions that were recorded from it. */
export async function buildsOf(of: Agent): Promise<Builds> {
  const { sdk, payload, workers, intervalMs, sessions = 5, runs = 15, idempotent = false, env } = of;
  const program = fileURLToPath(new URL('fixtures/agent.ts', import.meta.url));
  const folder = await folderWith({});
  const ids = Array.from({ length: sessions }, (_, index) => `session-${index + 1}`);
  const configured = async (): Promise<Config> => {
    const port = await freePort();
    const interval = intervalMs && {
      OTEL_BSP_SCHEDULE_DELAY: String(intervalMs),
      LANGFUSE_FLUSH_INTERVAL: String(intervalMs / 1_000),
    };
    return parseConfig(
      {
        runs,
        workers,
        retries: idempotent ? 2 : 0,
        idempotent,
        agent: {
          command: `"${process.execPath}" --disable-warning=ExperimentalWarning "${program}"`,
          url: `http://127.0.0.1:${port}/replay`,
          env: { PORT: String(port), SDK: sdk, PAYLOAD: String(payload), ...interval, ...env },
        },
      },
      { folder: folder.path },
    );
  };
  await record(ids, await configured(), folder.path);
  return {
    build: async (options) => runJob(await configured(), options),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Records one turn at a time, so that no span is missed. */
async function record(ids: readonly string[], config: Config, root: string): Promise<void> {
  await using receiver = await startReceiver();
  await using agent = await startAgent(config.agent as AgentOptions, { env: receiver.environment() });
  const recorded = new Map<string, Trace>();
  // An SDK may hold spans of a turn back until the next turn. So a last turn is added, of which nothing is kept.
  const sessions = [...ids, LAST].map((id) => ({ id, turns: [{ turn: 1, request: { input: id } }] }));
  const settings = { ...config, runs: 1, workers: 1 };
  await using replays = openReplays({ target: agent.url, source: receiver, settings });
  const take = ({ session, outcome }: ReplayResult) => {
    if (!outcome.trace) throw new Error(`${session} was not recorded: ${JSON.stringify(outcome)}`);
    recorded.set(session, outcome.trace);
  };
  for await (const result of replays.round(sessions)) take(result);
  const [side] = replays.sides;
  if (side) await receiver.untilSilent(side.replayRunIds, LAST_QUIET_MS, side.signal);
  for await (const result of replays.revised()) take(result);
  recorded.delete(LAST);
  for (const [id, trace] of recorded) {
    const turns = [{ request: { input: id }, recorded: recordingOf(trace) }];
    const session: Session = { version: 1, stepsVersion: 1, id, turns };
    await savePin(session, { root, dir: 'replays', overwrite: true });
  }
}
