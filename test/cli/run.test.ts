import { readdir, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { startReplayer } from '../../src/job/index.ts';
import { parseReport, type Report } from '../../src/report/index.ts';
import { outcomes } from '../outcomes.ts';
import { IN_VAIN_MS } from '../patience.ts';
import { steady, wholeMessage } from '../whole-message.ts';
import { command, type Finished, start } from './command.ts';
import { fixture, type Project, pinOf, projectWith } from './project.ts';

test.each([
  ['spans without ids, or with attributes that are no list', 'id', 'OTLP'],
  ['the body is larger than 64 MiB', 'size', 'smaller batches'],
])(
  'fault 147: where spans were lost (%s), a pass is could not tell, since the agent may have done more',
  async (reason, NAMELESS, hint) => {
    await using project = await projectWith({
      sessions: { one: 'a' },
      config: { runs: 1 },
      agent: { env: { NAMELESS } },
    });
    const { code, stdout } = await command(['run'], { cwd: project.path });
    expect(stdout).toContain('1 of 1 session as recorded');
    expect(code).toBe(2);
    const { problems } = (await project.report()).results;
    const told = { evidence: [`lost: ${reason}`], hint: expect.stringContaining(hint) };
    expect(problems).toMatchObject([{ code: 'TRACE_INCOMPLETE', ...told }]);
  },
);

test('fault 147: once spans were lost, no replay on demand passes or is accepted, as in Vitest; a divergence stays one', async () => {
  const other = JSON.stringify(pinOf('two', ['b'])).replace('{"text":"b"}', '{"text":"z"}');
  await using project = await projectWith({
    sessions: { one: 'a' },
    files: { 'replays/two.session.json': other },
    config: { runs: 1 },
    agent: { env: { NAMELESS: 'id' } },
  });
  await using replayer = await startReplayer(await loadConfig({ cwd: project.path }));
  const { report } = await replayer.replay({ session: 'one' });
  expect(report.results).toMatchObject({ status: 'error', problems: [{ code: 'TRACE_INCOMPLETE' }] });
  const { report: changed, acceptance } = await replayer.replay({ session: 'two' }, { accepting: true });
  expect(changed.results).toMatchObject({ status: 'failed', sessions: [{ verdict: outcomes.changed }] });
  expect(acceptance?.accepted ?? []).toEqual([]);
  expect(await project.read('replays/two.session.json')).toBe(other);
});

describe('what behaves as recorded', () => {
  let project: Project;
  let first: Finished;
  let report: Report;
  let written: readonly string[];
  let second: Finished;
  beforeAll(async () => {
    project = await projectWith({ sessions: { one: 'a', two: ['b', 'c'], odd: 'odd' } });
    first = await command(['run'], { cwd: project.path });
    report = await project.report();
    written = Object.keys(await project.outputs()).sort();
    second = await command(['run', 'replays/two*', '--turn', '2'], { cwd: project.path });
  });
  afterAll(() => project[Symbol.asyncDispose]());

  test('passes: exit 0, a table, and all files', () => {
    expect(first.code).toBe(0);
    expect(first.stdout).toContain('passed: 3 of 3 sessions as recorded');
    expect(report.results).toMatchObject({ status: 'passed', problems: [] });
    expect(report.evidence.usage.calls).toBe(8);
    expect(written).toEqual([
      'journal.ndjson',
      'junit.xml',
      'report.html',
      'report.json',
      'report.md',
      'traces/odd.1.0.json',
      'traces/odd.1.recorded.json',
      'traces/one.1.0.json',
      'traces/one.1.recorded.json',
      'traces/two.1.0.json',
      'traces/two.1.recorded.json',
      'traces/two.2.0.json',
      'traces/two.2.recorded.json',
    ]);
    expect(project.leftovers()).toEqual([]);
  });

  test('fault 92: a trace with tags, a name and metadata that cannot be made a text of costs no other session its verdict', () => {
    expect(first.stdout + first.stderr).not.toContain('INTERNAL');
    expect(Object.fromEntries(report.results.sessions.map(({ id, verdict }) => [id, verdict]))).toEqual({
      odd: outcomes.asRecorded,
      one: outcomes.asRecorded,
      two: outcomes.asRecorded,
    });
  });

  test('fault 100: the first run of a project says that tools act for real, and how to keep them from it; later ones do not', () => {
    const said = 'note: replays call the tools of the agent for real';
    expect(first.stderr).toContain(said);
    expect(second.stderr).not.toContain(said);
  });

  test('--turn and files on the command line replay a part', async () => {
    expect(second.code).toBe(0);
    const { sessions } = (await project.report()).results;
    expect(sessions.map(({ id, turns }) => [id, turns.map(({ turn }) => turn)])).toEqual([['two', [2]]]);
    const inFolder = await command(['run', 'one.session.json'], { cwd: path.join(project.path, 'replays') });
    expect(inFolder.code).toBe(0);
    expect(inFolder.stdout).toContain('1 of 1 session as recorded');
  });
});

test('what behaves in another way fails: exit 1, the place of the divergence, its behaviour on disk', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, agent: { env: { PREFIX: 'new ' } } });
  const { code, stdout } = await command(
    ['run', '--runs', '4', '--set', `agent.env.PORT=${project.port}`, '--set', 'agent.env.PREFIX=new '],
    { cwd: project.path },
  );
  expect(code).toBe(1);
  expect(stdout).toContain('lookup.text: ');
  expect((await project.report()).results.sessions[0]).toMatchObject({ verdict: outcomes.changed });
  const behaviour = JSON.parse(await project.read('.agent-replay/traces/one.1.1.json'));
  expect(behaviour).toMatchObject({
    session: 'one',
    turn: 1,
    cluster: 1,
    runs: [1, 2, 3, 4],
    recording: { output: 'new answer to a' },
  });
});

test('a trace that never comes is no divergence and no pass: exit 2', async () => {
  await using project = await projectWith({
    sessions: { one: 'untraced', two: 'b' },
    config: { timeouts: { trace: IN_VAIN_MS } },
  });
  const { code } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  const { results } = await project.report();
  expect(results.status).toBe('error');
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.couldNotTell, outcomes.asRecorded]);
  expect(results.sessions[0]?.turns[0]?.problems[0]).toMatchObject({ code: 'TRACE_MISSING', runs: [1, 2] });
});

test('without traces the responses are compared', async () => {
  await using project = await projectWith({ sessions: { one: 'untraced', two: 'b' } });
  expect((await command(['run', '--set', 'tracing=none'], { cwd: project.path })).code).toBe(0);
  const changed = await command(
    ['run', '--set', 'tracing=none', '--set', `agent.env.PORT=${project.port}`, '--set', 'agent.env.PREFIX=Berlin 17 '],
    { cwd: project.path },
  );
  expect(changed.code).toBe(1);
});

test('fault 10: an agent that is killed in the middle is an error that names the signal and the replay in flight, and what had finished is kept', async () => {
  await using project = await projectWith({ sessions: { a: 'a', b: 'crash', c: 'c' }, config: { workers: 1 } });
  // People know a session by the name of its pin.
  await rename(
    path.join(project.path, 'replays/b.session.json'),
    path.join(project.path, 'replays/b-train.session.json'),
  );
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  expect(stdout).toContain('SIGKILL');
  const { results } = await project.report();
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual([
    outcomes.asRecorded,
    outcomes.couldNotTell,
    outcomes.couldNotTell,
  ]);
  const [crash] = results.problems;
  expect(crash).toMatchObject({ code: 'AGENT_CRASHED', hint: expect.stringContaining('out of memory') });
  expect(crash?.evidence).toContain('in flight: b-train, turn 1, run 1');
  expect(project.leftovers()).toEqual([]);
});

test('fault 2: an agent that exits before it is ready is told once, and every session is not verified', async () => {
  await using project = await projectWith({
    sessions: { a: 'a', b: 'b' },
    agent: { command: 'echo no database >&2; exit 3' },
  });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  expect(stdout).toContain('no database');
  const { results } = await project.report();
  expect(results.problems.map((each) => each.code)).toEqual(['AGENT_EXITED']);
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.couldNotTell, outcomes.couldNotTell]);
});

test('fault 4: a port that somebody else has is an error, and nothing is replayed against them', async () => {
  await using project = await projectWith({ sessions: { a: 'a' } });
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.end('{"output":"answer to a"}');
  });
  await new Promise<void>((resolve) => server.listen(project.port, '127.0.0.1', resolve));
  const { code } = await command(['run'], { cwd: project.path });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(code).toBe(2);
  expect((await project.report()).results.problems).toMatchObject([{ code: 'AGENT_PORT_IN_USE' }]);
  expect(asked).toBe(0);
});

test('an agent that we do not start needs a receiver with an address: said before anything is sent', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.end();
  });
  await using project = await projectWith({ sessions: { a: 'a' }, agent: { command: undefined } });
  await new Promise<void>((resolve) => server.listen(project.port, '127.0.0.1', resolve));
  const { code, stderr } = await command(['run'], { cwd: project.path });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(code).toBe(2);
  expect(steady(stderr)).toMatchInlineSnapshot(`
    "error: The agent is not started by agent-replay, so it cannot know where to send its traces. (RECEIVER_UNREACHABLE)
      tracing: embedded, with a port that is free when the run starts
      -> Set agent.command (--start); or tracing.receiver.port and the keys, and point the agent there; or tracing: platform, if it traces to one; or tracing: none to compare responses only.
    "
  `);
  expect(asked).toBe(0);
});

test('fault 49: no session at all is an error, unless it is allowed', async () => {
  await using project = await projectWith({});
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  expect(stdout).toContain('NO_SESSIONS');
  await using grepped = await projectWith({ sessions: { a: 'a' } });
  expect((await command(['run', '--grep', 'zzz'], { cwd: grepped.path })).code).toBe(2);
  const allowed = await command(['run', '--set', 'allowEmpty=true'], { cwd: project.path });
  expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing was checked') });
});

test('fault 99: an option and --set with two values are refused with both; of an option given twice the last counts', async () => {
  await using project = await projectWith({ sessions: { a: 'a' } });
  const run = (...given: string[]) => command(['run', '--dry-run', ...given], { cwd: project.path });
  const { code, stdout, stderr } = await run('--runs', '2', '--set', 'runs=3');
  expect(code).toBe(2);
  expect(stdout + stderr).toContain('runs is given twice, with two values. (USAGE)');
  for (const given of ['--runs 2', '--set runs=3']) expect(stdout + stderr).toContain(`  ${given}\n`);
  expect((await run('--runs', '2', '--set', 'runs=2')).code).toBe(0);
  expect((await run('--runs', '3', '--runs', '2')).stdout).toBe((await run('--runs', '2')).stdout);
});

test('fault 50: a pin that cannot be read stands beside those that are checked', async () => {
  await using project = await projectWith({
    sessions: { good: 'a' },
    files: { 'replays/bad.session.json': '{ "version": 1,\n  "id": }' },
  });
  const { code } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  const { results } = await project.report();
  expect(results.sessions).toMatchObject([{ id: 'good', verdict: outcomes.asRecorded }]);
  expect(results.problems).toMatchObject([
    { code: 'PIN_INVALID', location: { file: 'replays/bad.session.json', line: 2 } },
  ]);
});

test('a run that can read no pin begins with what is wrong, not with calls and their cost', async () => {
  await using project = await projectWith({ sessions: {}, files: { 'replays/bad.session.json': '{' } });
  const { code, stderr } = await command(['run'], { cwd: project.path });
  expect([code, stderr]).toEqual([2, expect.not.stringContaining('0 replays')]);
});

test('a session of an agent that is not configured is not verified', async () => {
  const pin = JSON.stringify({
    version: 1,
    id: 'x',
    agentId: 'other',
    turns: [{ request: { input: 'a' }, recorded: { observations: [] } }],
  });
  await using project = await projectWith({
    sessions: { a: 'a' },
    files: { 'replays/x.session.json': pin },
    agent: { id: 'support' },
  });
  expect((await command(['run'], { cwd: project.path })).code).toBe(2);
  const { results } = await project.report();
  expect(results.sessions).toMatchObject([
    { id: 'a', verdict: outcomes.asRecorded },
    { id: 'x', verdict: outcomes.couldNotTell },
  ]);
  expect(results.sessions[1]?.problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "The session was recorded with the agent "other", and the configuration has "support". (PIN_NOT_REPLAYABLE)
      at replays/x.session.json:1:23
      -> If it is the same agent, set agent.id to "other"; otherwise add it under agents."
  `);
});

test('a dry run says what it would send, and neither starts nor sends nor writes anything', async () => {
  await using project = await projectWith({
    sessions: { one: 'a', two: ['b', 'c'] },
    agent: { command: 'touch started; exit 1' },
  });
  const { code, stdout } = await command(['run', '--dry-run', '--runs', '7'], { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout).toContain('replays/two.session.json: two, 2 turns, 14 replays');
  expect(stdout).toContain('2 sessions, 3 turns, 21 replays');
  expect((await readdir(project.path)).sort()).toEqual(['agent-replay.config.json', 'replays']);
});

test('--dry-run lists which variables the agent gets, and which of them are masked, without a value', async () => {
  const agent = { env: { PIN_CODE: '482913', LICENSE: 'evergreen', SALT: '4711', LOG_LEVEL: 'debug', SEED: '7' } };
  const config = { redact: { env: ['PIN_CODE'] } };
  await using project = await projectWith({ sessions: { one: 'a' }, agent, config });
  const env = { MODEL_API_KEY: 'k-31245-secret' };
  const { stdout } = await command(['run', '--dry-run'], { cwd: project.path, env });
  const [masked = '', byAction, plain = ''] = stdout
    .split('\n')
    .filter((line) => line.startsWith('variables of the agent'));
  expect(masked).toMatch(/^variables of the agent, masked: .*MODEL_API_KEY.*PIN_CODE/);
  expect(byAction).toBe("variables of the agent, masked in the action's log alone: LICENSE, MARKER, SALT");
  expect(plain).toMatch(/not masked: LOG_LEVEL, PORT, SEED, and \d+ of this shell; name secret ones in redact.env$/);
  for (const value of ['482913', 'evergreen', '4711', 'k-31245']) expect(stdout).not.toContain(value);
});

test('--max-calls bounds what is sent, and what is left is not verified', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: 'b' }, config: { workers: 1 } });
  expect((await command(['run', '--max-calls', '3'], { cwd: project.path })).code).toBe(2);
  const { results } = await project.report();
  expect(results.sessions[1]?.turns[0]?.problems).toMatchObject([{ code: 'CALLS_EXCEEDED', runs: [2] }]);
});

describe('an agent that echoes its environment', () => {
  /** Of a CI runner. */
  const secrets = {
    INPUT_TOKEN: 'i',
    ACTIONS_RUNTIME_TOKEN: 'a',
    GITHUB_OUTPUT: '/o',
    GITHUB_TOKEN: 't',
    NPM_TOKEN: 'n',
  };
  const env = {
    DATABASE_PASSWORD: 'canary-9e9e9e',
    GH_PAT: 'canary-111111',
    DB_PASS: 'canary-222222',
    API_KEYS: 'canary-333333,canary-444444',
    GCP_CREDENTIALS_JSON: JSON.stringify({ private_key: 'canary-555555' }),
    SLACK_WEBHOOK_URL: 'https://hooks.slack.com/services/canary-666666',
    QUEUE: 'amqp://shop:canary-777777@mq.example/',
    LEDGER: 'Server=db;Password=canary-888888;',
  };
  let outputs: Readonly<Record<string, string>>;
  let told: string;
  beforeAll(async () => {
    await using project = await projectWith({
      sessions: { one: 'environment' },
      agent: { id: 'support', env: { UPSTREAM_API_KEY: 'canary-5f1d9c' } },
      config: { headers: { authorization: 'Bearer canary-7a7b7c' } },
    });
    const { stdout, stderr } = await command(['run'], {
      cwd: project.path,
      env: { ...secrets, ...env, PLAIN: 'yes' },
    });
    outputs = await project.outputs();
    told = [stdout, stderr, ...Object.values(outputs)].join('\n');
  });

  test('fault 68: the agent has its own tracing variables and none of the secrets of a CI runner', () => {
    const replayed = Object.keys(outputs).find((name) => /^traces\/one\.1\.\d\.json$/.test(name));
    const environment = JSON.parse(outputs[replayed as string] as string).recording.output;
    expect(Object.keys(environment)).toEqual(
      expect.arrayContaining(['PLAIN', 'TRACING_HOST', 'LANGFUSE_BASE_URL', 'SVC_AGENT_ID']),
    );
    expect(Object.keys(environment).filter((name) => name in secrets)).toEqual([]);
  });

  test('fault 66 and 81: a secret that it echoes stands in no output, whatever its variable is called', () => {
    expect(told).not.toContain('canary-');
    for (const name of Object.keys(env)) expect(told).toContain(name);
  });
});

test.for(['table', 'agent'])(
  'fault 66: a secret with something unseen in it is in no output, as %s',
  async (reporter) => {
    await using project = await projectWith({
      sessions: { one: 'hides', two: 'hides and fails' },
      agent: { env: { UPSTREAM_API_KEY: 'Canary-5F1d9c' } },
    });
    const args = ['run', '--reporter', `${reporter},json,html,markdown,junit`];
    const { stdout, stderr } = await command(args, { cwd: project.path });
    const texts = await project.outputs();
    for (const text of [stdout, texts['report.json']]) expect(text).toContain('agent: <secret> and <secret>');
    expect(Object.keys(texts)).toEqual(expect.arrayContaining(['journal.ndjson', 'report.html', 'report.md']));
    for (const text of [stdout, stderr, ...Object.values(texts)]) expect(text).not.toMatch(/canary|5f1d9c/i);
  },
);

test('a secret in the id of a session is in nothing that a run prints or reports', async () => {
  await using project = await projectWith({
    agent: { env: { UPSTREAM_API_KEY: 'Canary-5F1d9c' } },
    files: { 'replays/one.session.json': JSON.stringify(pinOf('of Canary-5F1d9c', ['a'])) },
  });
  const { stdout, stderr } = await command(['run', '--reporter', 'table,json,html,markdown,junit'], {
    cwd: project.path,
  });
  // The journal holds the pin itself, whose id stays.
  const { 'journal.ndjson': _, ...reports } = await project.outputs();
  expect(stderr).toContain('1/1 sessions, 2/2 replays');
  for (const text of [stdout, stderr, ...Object.values(reports)]) expect(text).not.toMatch(/canary|5f1d9c/i);
});

test('a token in agent.wait.url stands in no output, although the agent logs the address', async () => {
  const agent = `require('node:http').createServer((request, response) => {
    console.error('asked for', request.url);
    response.writeHead(503).end();
  }).listen(process.env.PORT)`;
  await using project = await projectWith({
    sessions: { one: 'a' },
    files: { 'logs.cjs': agent },
    agent: { command: 'node logs.cjs', timeout: 2_000, url: 'http://127.0.0.1:{port}/replay' },
  });
  const set = 'agent.wait.url=http://127.0.0.1:{port}/ready?token=canary-5f1d9c';
  const { code, stdout, stderr } = await command(['run', '--set', set], { cwd: project.path });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('/ready?token=<secret>') });
  for (const text of [stdout, stderr, ...Object.values(await project.outputs())]) expect(text).not.toContain('canary');
});

test('fault 56: an output folder that cannot be written is exit 2, and the table is printed all the same', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, files: { taken: 'a file, not a folder' } });
  const { code, stdout, stderr } = await command(['run', '--output-dir', 'taken'], { cwd: project.path });
  expect(code).toBe(2);
  expect(stdout).toContain('1 of 1 session as recorded');
  expect(stderr).toContain('OUTPUT_NOT_WRITABLE');
});

test.for([
  ['removes', 'rmSync', '{ recursive: true, force: true }'],
  ['renames', 'renameSync', "'moved'"],
])('an agent that %s the output folder costs the run its pass, and the file is named', async ([, does, rest]) => {
  const sweep = `node -e "fs.${does}('.agent-replay', ${rest})"`;
  await using project = await projectWith({
    sessions: { one: 'a' },
    agent: { command: `${sweep} && ${fixture('agent.ts')}` },
  });
  const { code, stderr } = await command(['run'], { cwd: project.path });
  expect(stderr).toContain('journal.ndjson was removed while the run wrote it. (OUTPUT_NOT_WRITABLE)');
  expect(code).toBe(2);
});

test('--reporter and --quiet leave out what is not asked for', async () => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  const { stdout, stderr } = await command(['run', '--reporter', 'junit', '--quiet'], { cwd: project.path });
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
  expect((await readdir(path.join(project.path, '.agent-replay'))).sort()).toEqual([
    'journal.ndjson',
    'junit.xml',
    // What --last-failed and accept go on from.
    'report.json',
    'traces',
  ]);
});

test.for([
  [['rum'], 'Did you mean run?'],
  [['run', '--workrs', '2'], 'Did you mean --workers?'],
  [['run', '--runs', 'many'], '  --runs: expected a whole number from 1 to 1000, found "many"'],
  [['run', '--runs', '0'], '  --runs: '],
  [['run', '--stop-early'], "unknown option '--stop-early'"],
  [['run', '--reporter', 'html5'], 'There is no reporter'],
  [['run', '--config', 'nowhere.ts'], 'CONFIG_NOT_FOUND'],
] as const)('wrong use is exit 2 with a hint: %s', async ([args, hint]) => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  const { code, stderr, stdout } = await command(args, { cwd: project.path });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(hint);
  expect(stderr).not.toMatch(/^\s+at .*\.js:\d+/m);
});

test('fault 77: a reader of the output that goes away is survived', async () => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  const { child, finished } = start(['run'], { cwd: project.path });
  child.stdout?.destroy();
  expect(await finished).toMatchObject({ code: 0 });
  expect((await project.report()).results.status).toBe('passed');
});

test('several agents: each session runs against the one that it was recorded with', async () => {
  await using first = await projectWith({});
  await using second = await projectWith({});
  const agentAt = (port: number) => ({
    command: fixture('agent.ts'),
    url: `http://127.0.0.1:${port}/replay`,
    env: { PORT: String(port) },
  });
  await using project = await projectWith({
    files: {
      'agent-replay.config.json': JSON.stringify({
        runs: 2,
        agents: { left: agentAt(first.port), right: agentAt(second.port) },
      }),
      'replays/l.session.json': JSON.stringify({ ...pinOf('l', ['a']), agentId: 'left' }),
      'replays/r.session.json': JSON.stringify({ ...pinOf('r', ['b']), agentId: 'right' }),
    },
  });
  expect((await command(['run'], { cwd: project.path })).code).toBe(0);
  const { results, evidence } = await project.report();
  expect(results.sessions.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['l', outcomes.asRecorded],
    ['r', outcomes.asRecorded],
  ]);
  expect(evidence.agentLog.join('\n')).toMatch(/asked: a[\s\S]*asked: b/);
});

test('fault 90: a clock that is set back during a run changes no result, no duration is negative, and the journal can be read', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: 'b' }, agent: { env: { NODE_OPTIONS: '' } } });
  const preload = new URL('./fixtures/clock-set-back.js', import.meta.url);
  const env = { NODE_OPTIONS: `--import=${preload}` };
  const run = await command(['run'], { cwd: project.path, env });
  expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('INTERNAL')]);
  const { results, evidence } = await project.report();
  expect(evidence.durationMs).toBeGreaterThan(0);
  expect(await command(['merge', '.agent-replay', '--output-dir', 'merged'], { cwd: project.path })).toMatchObject({
    code: 0,
  });
  expect(parseReport(await project.read('merged/report.json')).results).toEqual(results);
});
