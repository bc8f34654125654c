/// <reference path="../pages.d.ts" />
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Config, ownSettingsOf, readSavedTargets, withOwn } from '../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../errors.ts';
import { gateOfPin, keepPinLock, mutatingToolsOf } from '../job/index.ts';
import { present } from '../json/index.ts';
import { mistakeLines, PLAINLY } from '../mistakes.ts';
import { gateKind, toProblem } from '../report/index.ts';
import type { Pin } from '../session/index.ts';
import { openAcceptable } from './acceptance.ts';
import type { Overview, RunSettings, RunToRead, SessionDetail, SessionHead } from './api-shapes.ts';
import { PlatformSessions } from './platform.ts';
import { recordedRun, recordedTurns } from './recorded.ts';
import { Results, runResult } from './results.ts';
import { Runs } from './runs.ts';
import { type Asked, type Routes, servePage } from './server.ts';
import { headOf, isPinned, reasonOf, Sessions } from './sessions.ts';
import { linkTo, recordingPlace, setTarget, targetFor, toolsOf, varied } from './target.ts';

/** The Reproducibility page, served to this machine. Disposing of it ends everything that it started. */
interface Ui extends AsyncDisposable {
  /** Including the token. */
  readonly url: string;
}

/** Bytes of the token, enough to be unguessable. */
const TOKEN_BYTES = 24;
const PATHS = ['/', '/reproducibility', '/search'];

/** @param options.port a free one by default @throws AgentReplayError `USAGE` if the port is taken */
export async function startUi(config: Config, { port = 0 }: { readonly port?: number } = {}): Promise<Ui> {
  const { page } = await import('#pages/page');
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const results = new Results(config.root);
  const runs = new Runs(results);
  const platform = new PlatformSessions(config);
  const routes = routesOf(config, { results, runs, sessions: new Sessions(config, platform) });
  const server = await servePage(page, { paths: PATHS, routes, token, port }).catch((cause: NodeJS.ErrnoException) => {
    throw new AgentReplayError('USAGE', `The page cannot be served on port ${port} (${cause.code}).`, {
      hint: 'Leave out --port, and a free one is taken.',
      cause,
    });
  });
  return {
    // After the #, which no server or log sees.
    url: `${server.origin}/reproducibility#token=${token}`,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await Promise.all([runs.end(), platform[Symbol.asyncDispose]()]);
    },
  };
}

const MAX_RUNS = 20;

const text = z.string().max(2_000);
const chosen = z.object({ session: text.min(1), agentId: text.optional() });
/** `url`: for this run only, instead of the saved or configured target. */
const startedRun = chosen.extend({
  runs: z.int().min(1).max(MAX_RUNS).optional(),
  url: text.optional(),
  tools: z.enum(['live', 'recorded']).optional(),
  gate: gateKind.optional(),
});
const kept = z.object({ session: text.min(1), id: text });
const accepted = kept.extend({ run: z.int().positive().optional(), asRecordings: z.boolean().default(false) });
const saved = z.object({ agentId: text, url: text });
const synced = z.object({ since: z.iso.datetime(), agentId: text.optional(), search: text.optional() });

function routesOf(
  config: Config,
  { results, runs, sessions }: { results: Results; runs: Runs; sessions: Sessions },
): Routes {
  /** What a result kept of a run, or the recording. */
  const runAsked = async ({ query, signal }: Asked): Promise<RunToRead> => {
    const wanted = { turn: Number(query('turn')), cluster: query('of') === '' ? null : Number(query('of')) };
    const kept = query('id') === '' ? undefined : await results.trace(query('session'), query('id'), wanted);
    if (kept !== undefined) {
      const { traceId } = kept.recording;
      return { ...kept, link: traceId === undefined ? '' : linkTo(config)(traceId) };
    }
    if (wanted.cluster !== null) throw new AgentReplayError('INPUT_INVALID', 'The trace of these runs was not kept.');
    return recordedRun(await sessions.get(query('session'), { signal }), wanted.turn, config);
  };
  /** @param agentId if the session does not show it */
  const detail = async (id: string, agentId: string | undefined, signal: AbortSignal): Promise<SessionDetail> => {
    const file = await sessions.get(id, { signal });
    const [{ state }, past] = await Promise.all([targetFor(config, file.session.agentId ?? agentId), results.past(id)]);
    return {
      ...headOf(file),
      pin: isPinned(file) ? file.path : '',
      reason: reasonOf(file),
      recorded: recordedTurns(file),
      target: state,
      settings: await settingsOf(file, config),
      past,
    };
  };
  return {
    'GET /api/overview': async (): Promise<Overview> => {
      const [{ sessions: all, problems }, targets] = await Promise.all([sessions.all(), readSavedTargets(config.root)]);
      const agents = [
        config.agent?.id ?? '',
        ...Object.keys(config.agents ?? {}),
        ...targets.keys(),
        ...all.map(({ session }) => session.agentId ?? ''),
      ];
      return {
        root: config.root,
        agents: [...new Set(agents)].filter((id) => id !== '').sort(),
        platform: platformOf(config),
        problems: problems.map(toProblem),
      };
    },
    'GET /api/sessions': async ({ query }): Promise<SessionHead[]> => {
      const found = await sessions.find({
        search: query('text'),
        agentId: query('agentId') || undefined,
      });
      return Promise.all(found.map(async (head) => ({ ...head, ...present({ last: await results.latest(head.id) }) })));
    },
    'GET /api/session': async ({ query, signal }) => detail(query('id'), query('agentId') || undefined, signal),
    'GET /api/sync': async () => sessions.synced,
    'POST /api/sync': async ({ body }) => sessions.startSync(readBodyAs(synced, body)),
    'POST /api/sync/stop': async () => sessions.stopSync(),
    'PUT /api/target': async ({ body }) => {
      const { agentId, url } = readBodyAs(saved, body);
      await setTarget(config, agentId, url);
      return (await targetFor(config, agentId || undefined)).state;
    },
    'POST /api/runs': async ({ body, signal }) => {
      const wanted = readBodyAs(startedRun, body);
      const file = await sessions.get(wanted.session, { signal });
      const agentId = file.session.agentId ?? wanted.agentId;
      const { config: targeted } = await targetFor(config, agentId, wanted.url?.trim());
      if (targeted === undefined) {
        throw new AgentReplayError('USAGE', 'No target URL is set for this agent.', { hint: 'Enter one and save it.' });
      }
      const own = withOwn(targeted, ownSettingsOf(config, file.path));
      const often = wanted.runs ?? Math.min(own.runs, MAX_RUNS);
      return { id: runs.start(file, { ...varied(own, wanted), runs: often, overrides: [] }).id };
    },
    'GET /api/runs': async () => runs.allUnderWay(),
    'GET /api/run': async ({ query }) => runs.get(query('id')).now,
    'POST /api/cancel': async ({ body }) => {
      runs.get(readBodyAs(z.object({ id: text }), body).id).cancel();
    },
    'GET /api/result': async ({ query }) => {
      const [session, id] = [query('session'), query('id')];
      return runResult(id, session, await results.report(session, id), config.root);
    },
    'GET /api/trace': runAsked,
    'POST /api/pin': async ({ body, signal }) => {
      const file = await sessions.get(readBodyAs(chosen, body).session, { signal });
      const pin = await sessions.pin(file);
      await keepPinLock(config);
      return { pin };
    },
    'GET /api/acceptable': async ({ query, signal }) => {
      const file = await sessions.get(query('session'), { signal });
      return (await openAcceptable(file, query('id'), results, config)).changes();
    },
    'POST /api/accept': async ({ body, signal }) => {
      const { session, id, ...meant } = readBodyAs(accepted, body);
      const acceptable = await openAcceptable(await sessions.get(session, { signal }), id, results, config);
      const pin = await acceptable.write(meant);
      sessions.changed();
      await keepPinLock(config);
      return { pin };
    },
  };
}

/** The settings of a session's run, by default. */
async function settingsOf(file: Pin, config: Config): Promise<RunSettings> {
  const own = withOwn(config, ownSettingsOf(config, file.path));
  return {
    runs: Math.min(own.runs, MAX_RUNS),
    tools: toolsOf(own),
    gate: await gateOfPin(file, config),
    acting: {
      configured: mutatingToolsOf(file, { ...own, overrides: [] }),
      live: mutatingToolsOf(file, { ...varied(own, { tools: 'live' }), overrides: [] }),
    },
  };
}

function platformOf(config: Config): Overview['platform'] {
  try {
    return { url: recordingPlace(config) };
  } catch (error) {
    return { problem: toProblem(asAgentReplayError(error)) };
  }
}

/** @throws AgentReplayError `USAGE` */
function readBodyAs<T>(schema: z.ZodType<T>, body: Asked['body']): T {
  const { data, error } = schema.safeParse(body, PLAINLY);
  if (error === undefined) return data as T;
  throw new AgentReplayError('USAGE', 'The request is not valid.', {
    evidence: mistakeLines(error, 'the body'),
  });
}
