import { execFileSync } from 'node:child_process';
import { copyFile, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseReport } from '../../src/report/index.ts';
import { redactSession, type Session } from '../../src/session/index.ts';
import { outcomes } from '../outcomes.ts';
import { command, start } from './command.ts';
import { pinOf, projectWith } from './project.ts';

const WORKFLOWS = path.join(import.meta.dirname, '../../docs/workflows');

/** What a report says of behaviour, as it stands in the file. */
async function resultsOf(folder: string): Promise<string> {
  return JSON.stringify(JSON.parse(await readFile(path.join(folder, 'report.json'), 'utf8')).results, null, 2);
}

test('shards come, merged, to the bytes and the exit code of one run', async () => {
  const personal = redactSession(pinOf('personal', ['mail jane.doe@example.com']) as Session).session;
  await using project = await projectWith({
    sessions: { steady: ['a', 'b'], wandering: 'wandering' },
    files: {
      'replays/personal.session.json': JSON.stringify(personal),
      'replays/broken.session.json': '{"version":1',
      'replays/silent.session.json': JSON.stringify({
        version: 1,
        id: 'silent',
        turns: [{ recorded: { observations: [] } }],
      }),
    },
    config: { runs: 8 },
  });
  const cwd = project.path;
  const run = (...args: string[]) => command(['run', '--quiet', '--reporter', 'json', ...args], { cwd });
  const whole = await run('--output-dir', 'whole');
  expect(whole.code).toBe(1);
  const expected = await resultsOf(path.join(cwd, 'whole'));
  expect(expected).toContain('"verdict": "varies"');
  expect(expected).toContain('PIN_INVALID');
  for (const index of [1, 2]) {
    const folder = `artifacts/${index}/.agent-replay`;
    await run('--shard', `${index}/2`, '--output-dir', folder, '--history', 'past.ndjson');
  }
  const merged = await command(
    ['merge', 'artifacts', '--reporter', 'json', '--output-dir', 'merged', '--history', 'past.ndjson'],
    { cwd },
  );
  expect(merged.code).toBe(whole.code);
  expect(await resultsOf(path.join(cwd, 'merged'))).toBe(expected);
  expect(await readdir(path.join(cwd, 'merged/traces'))).toEqual(await readdir(path.join(cwd, 'whole/traces')));
  const { evidence } = parseReport(await project.read('merged/report.json'));
  const { usage, runs } = parseReport(await project.read('whole/report.json')).evidence;
  expect(evidence.usage).toEqual(usage);
  expect(evidence.runs.map(({ session, turn, run }) => [session, turn, run])).toEqual(
    runs.map(({ session, turn, run }) => [session, turn, run]),
  );
  expect(evidence.shard).toBeUndefined();
  const folded = await command(['merge', '--partial', 'artifacts/2', '--output-dir', 'folded'], { cwd });
  expect(folded).toMatchObject({ code: 0, stdout: '1 shard in folded: merge it with the others\n' });
  await command(['merge', 'artifacts/1', 'folded', '--output-dir', 'of-folded'], { cwd });
  expect(await resultsOf(path.join(cwd, 'of-folded'))).toBe(expected);
  // A line for the merged run, and none for a part of one.
  expect((await project.read('past.ndjson')).trimEnd().split('\n')).toHaveLength(1);
  const part = parseReport(await project.read('artifacts/2/.agent-replay/report.json'));
  expect(part.evidence.shard).toEqual({ index: 2, count: 2 });
});

test('fault 73: a run that is killed leaves no report, its own or an earlier one, and merge makes one of its journal', async () => {
  await using project = await projectWith({ sessions: { a: 'a', hanging: 'hang' }, config: { workers: 1 } });
  const cwd = project.path;
  await mkdir(path.join(cwd, '.agent-replay'));
  for (const name of ['report.json', 'report.html', 'report.md', 'junit.xml'])
    await writeFile(path.join(cwd, '.agent-replay', name), 'of an earlier run');
  const running = start(['run'], { cwd });
  await running.printed(/asked: hang/);
  // With one worker, whatever came before is on its way to the disk.
  await expect.poll(() => project.read('.agent-replay/journal.ndjson'), { interval: 5 }).toMatch(/"run":2[^\n]*\n/);
  await expect.poll(() => readdir(path.join(cwd, '.agent-replay'))).toContain('traces');
  running.child.kill('SIGKILL');
  await running.finished;
  expect((await readdir(path.join(cwd, '.agent-replay'))).sort()).toEqual(['.run.lock', 'journal.ndjson', 'traces']);
  const { code, stdout } = await command(['merge', '.agent-replay'], { cwd });
  expect(code).toBe(2);
  expect(stdout).toContain('! interrupted: 1 of 2 sessions as recorded, 1 could not tell');
  const { results, evidence } = await project.report();
  expect(results.status).toBe('interrupted');
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.asRecorded, outcomes.couldNotTell]);
  expect(results.sessions[1]?.turns[0]?.problems).toMatchObject([{ code: 'INTERRUPTED', runs: [1, 2] }]);
  expect(evidence.interruptedBy).toBe('unknown');
  // The journal stays: it can be merged again, to the same result.
  await copyFile(path.join(cwd, '.agent-replay/report.json'), path.join(cwd, 'first.json'));
  await command(['merge', '.agent-replay'], { cwd });
  expect((await project.report()).results).toEqual(parseReport(await project.read('first.json')).results);
});

test('a shard that was killed goes on when it is started again: only what is missing is replayed, within the same budget', async () => {
  await using project = await projectWith({
    sessions: { a: ['a', 'wandering'], b: ['b', 'd'], hanging: ['c', 'hang'] },
    config: { workers: 1, runs: 3 },
  });
  const cwd = project.path;
  const shard = (index: number, dir: string, ...args: string[]) => [
    ...['run', '--shard', `${index}/2`, '--output-dir', dir],
    ...args,
  ];
  const running = start(shard(1, 'shards/1'), { cwd });
  await running.printed(/asked: hang/);
  const journal = () => project.read('shards/1/journal.ndjson');
  await expect.poll(journal, { interval: 5 }).toMatch(/"session":"hanging"[^\n]*\n/);
  running.child.kill('SIGKILL');
  await running.finished;
  // A machine that goes away cuts a line.
  await writeFile(path.join(cwd, 'shards/1/journal.ndjson'), `${await journal()}{"type":"res`);
  for (const copy of ['limited', 'other'])
    await cp(path.join(cwd, 'shards/1'), path.join(cwd, copy), { recursive: true });

  const env = { RESUMED: '1' };
  const again = await command(shard(1, 'shards/1'), { cwd, env });
  const asked = [...again.stderr.matchAll(/asked: (\w+)/g)].map(([, input]) => input);
  expect(asked).toEqual(['c', 'hang', 'c', 'hang', 'c', 'hang']);
  expect(again.stderr).toMatch(/goes on after 7 replays in .*journal\.ndjson/);
  await command(shard(2, 'shards/2'), { cwd, env });
  const merged = await command(['merge', 'shards', '--output-dir', 'merged'], { cwd });
  const whole = await command(['run', '--output-dir', 'whole'], { cwd, env });
  expect(merged.code).toBe(whole.code);
  expect(await resultsOf(path.join(cwd, 'merged'))).toBe(await resultsOf(path.join(cwd, 'whole')));
  expect(await readdir(path.join(cwd, 'shards/1/traces'))).toContain('a.1.recorded.json');

  const limited = await command(shard(1, 'limited', '--set', 'maxCalls=14'), { cwd, env });
  expect(limited.stdout).toContain('All 9 calls that maxCalls allows this shard, its part of all,');
  expect(limited.stderr.match(/asked: /g)).toHaveLength(2);

  const other = await command(shard(2, 'other'), { cwd, env });
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('SHARDS_DIFFER') });
  expect(other.stderr).toMatch(/shard: 1 in .*journal\.ndjson, 2 in this run/);
});

test('a shard that nothing is left for is said before anything starts; a dry run tells of the shard alone', async () => {
  await using project = await projectWith({ sessions: { a: 'a' } });
  const cwd = project.path;
  const left = await command(['run', '--shard', '2/2'], { cwd });
  expect(left).toMatchObject({ code: 2, stderr: expect.stringContaining('USAGE') });
  expect(left.stderr).not.toContain('starting the agent');
  const shard = ['run', '--shard', '1/1', '--runs', '5'];
  const dry = await command([...shard, '--dry-run'], { cwd });
  expect(dry.stdout).toContain('1 session, 1 turn, 5 replays; nothing was sent');
  // Its outputs take no more than it told.
  const [, told = ''] = /1 of 1 session, at most about ([\d.]+) KiB of outputs/.exec(dry.stderr + dry.stdout) ?? [];
  await command(shard, { cwd });
  const written = await readdir(path.join(cwd, '.agent-replay'), { recursive: true, withFileTypes: true });
  const sizes = written.filter((each) => each.isFile()).map((each) => stat(path.join(each.parentPath, each.name)));
  const bytes = (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeGreaterThan(1024 * 10);
  expect(bytes).toBeLessThanOrEqual(Number(told) * 1024);
});

test('without --shard a numbered job makes the whole run, since jobs of a matrix are numbered, too', async () => {
  await using project = await projectWith({ sessions: { a: 'a', b: 'b' } });
  const plan = (...args: string[]) =>
    command(['run', '--dry-run', ...args], { cwd: project.path, env: { CI_NODE_INDEX: '1', CI_NODE_TOTAL: '2' } });
  expect((await plan()).stdout).toContain('2 sessions, 2 turns, 4 replays');
  expect((await plan('--shard', 'auto')).stdout).toContain('1 session, 1 turn, 2 replays');
});

test('more pins than maxPins allows are an error that names it; raised, they are planned', async () => {
  await using project = await projectWith({ sessions: { a: 'a', b: 'b', c: 'c' } });
  const plan = (...args: string[]) => command(['run', '--dry-run', '--set', ...args], { cwd: project.path });
  const many = await plan('maxPins=2');
  expect(many).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('More than 2 files match. (TOO_MANY_SESSIONS)'),
  });
  expect(many.stderr).toContain('raise maxPins (--set maxPins=...)');
  for (const shard of ['1/2', '2/2']) expect((await plan('maxPins=3', '--shard', shard)).code).toBe(0);
});

test('sharded.yml: where the test of all sessions is left open, its job look says so, and the shards of last-look end it', async () => {
  const { jobs } = parse(await readFile(path.join(WORKFLOWS, 'sharded.yml'), 'utf8'));
  const asked: string = jobs.look.steps.find(({ id }: { readonly id?: string }) => id === 'merged').run;
  const [, script = ''] = /node -p "(.*)"\)"/.exec(asked) ?? [];
  const inputs = jobs['last-look'].steps.find((step: GitHubJob['steps'][number]) => step.with?.shard).with;
  const sessions = Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, 'wandering']));
  await using project = await projectWith({
    sessions,
    config: { runs: undefined, gate: 'shift', looks: { least: 2, most: 20 } },
  });
  const cwd = project.path;
  const shards = async (...args: string[]) => {
    for (const index of [1, 2])
      await command(['run', '--shard', `${index}/2`, '--output-dir', `reports/${index}`, ...args], { cwd });
    await command(['merge', 'reports'], { cwd });
    return execFileSync(process.execPath, ['-p', script], { cwd, encoding: 'utf8' }).trim();
  };
  expect(await shards()).toBe('true');
  expect(await shards('--set', inputs.set)).toBe('false');
  const merged = await resultsOf(path.join(cwd, '.agent-replay'));
  expect(JSON.parse(merged).shift.suites).toHaveLength(1);
});

test('sessions with settings of their own come, from shards, to the bytes of one run', async () => {
  await using project = await projectWith({
    sessions: { often: 'wandering', calm: 'wandering', plain: 'a' },
    config: {
      runs: 4,
      overrides: [
        { sessions: 'replays/often*', runs: 7 },
        { sessions: 'replays/calm*', failOn: { did: [], said: [], path: [] }, strictness: 'exact' },
      ],
    },
  });
  const cwd = project.path;
  const run = (...args: string[]) => command(['run', '--quiet', '--reporter', 'json', ...args], { cwd });
  const whole = await run('--output-dir', 'whole');
  const expected = await resultsOf(path.join(cwd, 'whole'));
  expect(expected).toContain('"requested": 7');
  for (const shard of ['1/2', '2/2']) await run('--shard', shard, '--output-dir', `artifacts/${shard[0]}`);
  const merged = await command(['merge', 'artifacts', '--reporter', 'json', '--output-dir', 'merged'], { cwd });
  expect(merged.code).toBe(whole.code);
  expect(await resultsOf(path.join(cwd, 'merged'))).toBe(expected);
});

interface GitLabJob {
  readonly parallel?: number;
  readonly script: readonly string[];
}

interface Recipe {
  readonly jobs: readonly { readonly script: readonly string[]; readonly env: Readonly<Record<string, string>> }[];
  readonly verdict: readonly string[];
}

/** What each job of a recipe runs, and the variables that its engine sets; then what makes the verdict. */
const RECIPES = {
  // The action's inputs are flags of the command.
  'sharded.yml': ({ jobs: { replay } }: { readonly jobs: { readonly replay: GitHubJob } }) => {
    const { shard } = replay.steps.find((step) => step.with?.shard !== undefined)?.with ?? {};
    return {
      jobs: replay.strategy.matrix.shard.map((index) => ({
        script: [
          `npx agent-replay run --shard ${shard?.replace(/\$\{\{ matrix.shard \}\}/, `${index}`)} --output-dir reports/${index}`,
        ],
        env: {},
      })),
      verdict: ['npx agent-replay merge reports'],
    };
  },
  'gitlab-ci.yaml': ({ replay, verdict }: Readonly<Record<'replay' | 'verdict', GitLabJob>>) => ({
    jobs: Array.from({ length: replay.parallel ?? 0 }, (_, index) => ({
      script: replay.script,
      env: { CI_NODE_INDEX: `${index + 1}`, CI_NODE_TOTAL: `${replay.parallel}` },
    })),
    verdict: verdict.script,
  }),
  'kubernetes.yaml': ({ spec }: { readonly spec: IndexedJob }) => ({
    jobs: Array.from({ length: spec.completions }, (_, index) => {
      const [{ args, env }] = spec.template.spec.containers;
      const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
      return { script: args, env: { ...given, JOB_COMPLETION_INDEX: `${index}` } };
    }),
    verdict: ['npx agent-replay merge /results'],
  }),
  'buildkite.yaml': ({ steps: [replay, verdict] }: { readonly steps: readonly [BuildkiteStep, BuildkiteStep] }) => ({
    jobs: Array.from({ length: replay.parallelism ?? 0 }, (_, index) => ({
      script: replay.commands,
      env: { BUILDKITE_PARALLEL_JOB: `${index}`, BUILDKITE_PARALLEL_JOB_COUNT: `${replay.parallelism}` },
    })),
    verdict: verdict.commands.filter((line) => !line.startsWith('buildkite-agent artifact download')),
  }),
  'aws-batch.yaml': ({ Resources: { AgentReplay } }: BatchTemplate) => {
    const { Command, Environment } = AgentReplay.Properties.ContainerProperties;
    const given = Object.fromEntries(Environment.map(({ Name, Value }) => [Name, Value]));
    return {
      jobs: Array.from({ length: Number(given.AWS_BATCH_JOB_ARRAY_SIZE) }, (_, index) => ({
        script: Command.slice(2),
        env: { ...given, AWS_BATCH_JOB_ARRAY_INDEX: `${index}` },
      })),
      verdict: ['npx agent-replay merge /results'],
    };
  },
};
interface GitHubJob {
  readonly strategy: { readonly matrix: { readonly shard: readonly number[] } };
  readonly steps: readonly { readonly with?: Readonly<Record<string, string>> }[];
}
interface BuildkiteStep {
  readonly parallelism?: number;
  readonly commands: readonly string[];
}
interface BatchTemplate {
  readonly Resources: {
    readonly AgentReplay: { readonly Properties: { readonly ContainerProperties: BatchContainer } };
  };
}
interface BatchContainer {
  readonly Command: readonly string[];
  readonly Environment: readonly { readonly Name: string; readonly Value: string }[];
}
interface IndexedJob {
  readonly completions: number;
  readonly template: { readonly spec: { readonly containers: readonly [Container] } };
}
interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

test.each(Object.entries(RECIPES))(
  '%s leads to the verdict of one job, also if one is killed and comes again',
  async (file, read) => {
    const recipe: Recipe = read(parse(await readFile(path.join(WORKFLOWS, file), 'utf8')));
    const ids = recipe.jobs.map((_, index) => [`s${index}`, 'a'] as const);
    await using project = await projectWith({
      sessions: { ...Object.fromEntries(ids), wandering: 'wandering', hanging: ['b', 'hang'] },
      config: { runs: 2, workers: 1 },
    });
    const cwd = project.path;
    let kills = 0;
    /** The agent of the first job that comes to it hangs, and its machine goes away. */
    const ended = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
      const running = start(args, { cwd, env: { ...env, ...(kills > 0 && { RESUMED: '1' }) } });
      const isHanging = kills === 0 && (await running.printed(/asked: hang/).then(Boolean, () => false));
      if (isHanging) running.child.kill('SIGKILL');
      const { code } = await running.finished;
      if (!isHanging) return code;
      kills++;
      return (await command(args, { cwd, env: { ...env, RESUMED: '1' } })).code;
    };
    const played = async (script: readonly string[], env: Readonly<Record<string, string>>) => {
      let code: number | null = 0;
      for (const line of script.filter((each) => each !== 'npm ci')) {
        const [npx, name, ...args] = line
          .replaceAll(/\$(\w+)/g, (_, variable) => env[variable] ?? '')
          .replaceAll('"', '')
          .replaceAll('/results', path.join(cwd, 'results'))
          .split(' ');
        expect([npx, name]).toEqual(['npx', 'agent-replay']);
        code = await ended(args, env);
      }
      return code;
    };
    const codes: (number | null)[] = [];
    for (const { script, env } of recipe.jobs) codes.push(await played(script, env));
    expect(codes.toSorted()).toEqual([...ids.slice(1).map(() => 0), 1]);
    expect(await played(recipe.verdict, {})).toBe(1);
    const merged = await resultsOf(path.join(cwd, '.agent-replay'));
    expect(kills).toBe(1);
    await command(['run'], { cwd, env: { RESUMED: '1' } });
    expect(merged).toBe(await resultsOf(path.join(cwd, '.agent-replay')));
  },
);
