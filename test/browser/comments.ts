import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Beside, writeSummary } from '../../action/announce.ts';
import { headingOf } from '../../action/board.ts';
import { AgentReplayError } from '../../src/errors.ts';
import { gateOf, parseReport, type Report, reportOfFailure } from '../../src/rims.ts';
import { FIRST_PINS } from '../../src/session/index.ts';
import { FakeGitHub } from '../action/github.ts';
import { RUN } from '../action/runner/job.ts';
import { type ShowOptions, show } from '../action/show.ts';
import { outcomes } from '../outcomes.ts';
import { hostileReport, PAYLOADS } from '../report/fixtures/hostile.ts';
import { type Play, played } from '../report/fixtures/played.ts';
import { REPORTS, report, SESSIONS, session, turn } from '../report/fixtures/reports.ts';
import { asOnGitHub } from './as-on-github.ts';
import type { Scene } from './scene.ts';

/** What the action writes on GitHub, by the action itself, shown as GitHub shows it. */

const ROOT = path.join(import.meta.dirname, '../..');
const BOT = '<b>github-actions</b> <small>bot</small> commented 2 minutes ago';
const JOB = '<b>replay</b> summary';

/** The report of the command with a configuration of the example agent. */
async function reportOf(config: string): Promise<Report> {
  return withFolder(async (folder) => {
    const args = ['bin/agent-replay.js', 'run', '--config', config, '--output-dir', folder];
    // Some of these runs are meant to fail; the report is written all the same.
    await promisify(execFile)(process.execPath, args, { cwd: ROOT }).catch(() => {});
    return parseReport(await readFile(path.join(folder, 'report.json'), 'utf8'));
  });
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-replay-comment-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const linkTo = (pin: string) =>
  `https://github.com/Codertocat/Hello-World/blob/ec26c3e/${encodeURI(pin.toWellFormed())}`;
const BESIDE: Beside = {
  isOnPull: true,
  linkTo,
  reportUrl: 'https://reports.example.com/1',
  pins: '',
  placesOf: ({ line }) => [line.startsWith('Refund') ? 'prompts/shop.md:2' : 'prompts/support.md:5'],
};
type Made = Report | Promise<Report>;

/** The comment after all of these reports were shown, and the job summary of the last one. */
function told(made: () => Made, { runsBefore = 0, ...own }: Beside & { readonly runsBefore?: number } = {}): Scene {
  return async (open, take) => {
    const report = await made();
    const before = Array.from({ length: runsBefore }, (_, at) => ({
      id: RUN.id - runsBefore + at,
      number: RUN.number - runsBefore + at,
      about: 'support',
    }));
    const beside = { ...BESIDE, ...own };
    const last = { report, beside, about: 'support' };
    const comment = await commentAfter([...before, last]);
    await look(open, take, asOnGitHub(comment, BOT));
    const { status, title } = gateOf(report);
    const head = headingOf(status, title, 'support');
    const summary = await summaryAfter(() => writeSummary(report, { head, ...beside }));
    await look(open, take, asOnGitHub(summary, JOB), 'summary');
  };
}

async function commentAfter(steps: readonly ShowOptions[]): Promise<string> {
  await using github = await FakeGitHub.start();
  for (const step of steps) await show(github, step);
  return github.comments[0]?.body ?? '';
}

/** The toolkit remembers the first summary file that it found, so all calls use one. */
let summaryFile: string | undefined;

async function summaryAfter(write: () => Promise<void>): Promise<string> {
  summaryFile ??= path.join(await mkdtemp(path.join(tmpdir(), 'agent-replay-summary-')), 'summary.md');
  process.env.GITHUB_STEP_SUMMARY = summaryFile;
  await writeFile(summaryFile, '');
  await write();
  return readFile(summaryFile, 'utf8');
}

async function look(...[open, take, html, state]: [...Parameters<Scene>, string, string?]): Promise<void> {
  await withFolder(async (folder) => {
    const file = path.join(folder, 'github.html');
    await writeFile(file, html);
    await using tab = await open(pathToFileURL(file).href);
    await take(tab.page, state);
  });
}

const refund = (amount: number, system: string, tool = 'refund_order'): Play => ({
  acts: [
    { tool: 'get_order', args: { id: 'ORD-118' }, result: { id: 'ORD-118', total: 118.4 } },
    { tool, args: { id: 'ORD-118', amount }, result: 'done' },
  ],
  answer: `I refunded ${amount} EUR for your kettle.`,
  system,
});
const RULES = ['You help customers of a shop.', 'Refund the full price.', 'Ask nothing twice.'];
const OLD = RULES.join('\n');
const NEW = RULES.with(1, 'Refund half of the price.').join('\n');
const TITLES = ['Refund of a broken kettle', 'Where is my parcel', 'A tent that leaks', 'Two orders in one'];

/** Two hundred sessions; sixty of them diverge. */
const MANY = Array.from({ length: 200 }, (_, at) => {
  const other = at % 10 >= 7;
  const play = other
    ? refund(at % 10 === 9 ? 118.4 : 59.2, NEW, at % 10 === 9 ? 'create_ticket' : undefined)
    : refund(118.4, OLD);
  return session(`session-${String(at).padStart(3, '0')}`, {
    title: TITLES[at % 4]!,
    agentId: 'support',
    turns: [
      played(
        [refund(118.4, OLD)],
        Array.from({ length: 5 }, (_, run) => (other && at % 10 === 8 && run > 2 ? refund(118.4, NEW) : play)),
      ),
    ],
  });
});

const NO_PINS = new AgentReplayError('NO_SESSIONS', 'No pinned session matches "replays/**/*.session.json".', {
  hint: FIRST_PINS,
});

/** A session each of whose calls was answered with this status. */
function without(status: number, body: string) {
  const error = new AgentReplayError('RESPONSE_STATUS', `The agent answered with status ${status}.`, {
    evidence: [body],
  });
  const failures = [1, 2, 3, 4, 5].map((run) => ({ run, error }));
  return session('refund', { turns: [turn({ verdict: outcomes.couldNotTell, clusters: [0] }, { failures })] });
}

const changed = () => reportOf('examples/support-agent/changed.config.ts');

export const COMMENTS = {
  'comment-reproduced': told(() => reportOf('agent-replay.config.ts'), { runsBefore: 4 }),
  'comment-changed': told(changed, { runsBefore: 1 }),
  'comment-flaky': told(() => reportOf('examples/support-agent/flaky.config.ts')),
  'comment-shift': told(() => reportOf('examples/support-agent/shift.config.ts')),
  'comment-varies': told(() => reportOf('examples/support-agent/live.config.ts')),
  'comment-error': told(() => REPORTS.error),
  'comment-not-started': told(() => REPORTS.nothing),
  'comment-without-keys': told(
    () =>
      report([without(500, 'OPENAI_API_KEY is missing')], {
        evidence: { usage: { calls: 5, retries: 0, inputTokens: null, outputTokens: null, cost: null } },
      }),
    {
      aside:
        'Add the key under Settings › Secrets and variables › Dependabot, and run again: a run for Dependabot sees no other secrets.',
    },
  ),
  'comment-without-pins': told(async () =>
    reportOfFailure(NO_PINS, { root: ROOT, command: 'GitHub Action', secrets: [] }),
  ),
  'comment-mixed': told(() => report([...Object.values(SESSIONS), ...MANY.slice(20, 33)]), {
    pins: '2 recorded again, 1 removed',
  }),
  'comment-pending': async (open, take) => {
    const next = { isPending: true, id: RUN.id + 1, number: RUN.number + 1, headSha: 'a'.repeat(40) };
    const steps = [{ report: REPORTS.passed, beside: BESIDE }, next].map((step) => ({ ...step, about: 'support' }));
    await look(open, take, asOnGitHub(await commentAfter(steps), BOT));
  },
  'comment-interrupted': told(() => REPORTS.interrupted),
  'comment-cancelled': async (open, take) => {
    const { status, title } = gateOf(REPORTS.interrupted);
    const head = headingOf(status, title, 'support');
    const summary = await summaryAfter(() => writeSummary(REPORTS.interrupted, { head, ...BESIDE }));
    await look(open, take, asOnGitHub(summary, JOB), 'summary');
  },
  'comment-200-sessions': told(() =>
    report(MANY, {
      evidence: { usage: { calls: 1_000, retries: 0, inputTokens: null, outputTokens: null, cost: null } },
    }),
  ),
  'comment-hostile': told(() => hostileReport(PAYLOADS.join(' '))),
  'comment-matrix': async (open, take) => {
    const reports = {
      small: report([SESSIONS.asRecorded, SESSIONS.inOtherWords]),
      large: await changed(),
      huge: REPORTS.error,
    };
    const legs = Object.entries(reports).map(([name, report]) => ({ leg: { name }, report, beside: BESIDE }));
    const waiting = { leg: { name: 'huge' }, isPending: true };
    await look(open, take, asOnGitHub(await commentAfter([...legs.slice(0, 2), waiting]), BOT), 'waiting');
    await look(open, take, asOnGitHub(await commentAfter(legs), BOT));
  },
} satisfies Record<string, Scene>;
