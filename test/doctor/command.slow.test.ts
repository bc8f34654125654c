import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/index.ts';
import type { Diagnosis } from '../../src/doctor/diagnose.ts';
import { command, type Finished, start } from '../cli/command.ts';
import { fixture, type Project, projectWith } from '../cli/project.ts';
import { KEYS, platform, serve } from '../tracing/platform-server.ts';
import { steady } from '../whole-message.ts';

const AGENT = `"${process.execPath}" "${fileURLToPath(new URL('fixtures/agent.ts', import.meta.url))}"`;
/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/** A project with the agent of one defect, started by the doctor. */
async function projectOf(
  defect: string,
  config: Partial<ConfigInput> = {},
  agent: Partial<NonNullable<ConfigInput['agent']>> = {},
): Promise<Project> {
  const { port, ...project } = await projectWith({ sessions: { a: 'a' }, config, agent: { command: AGENT, ...agent } });
  const written = JSON.parse(await project.read('agent-replay.config.json')) as ConfigInput;
  return { ...project, port, url: `${new URL(String(written.agent?.url)).origin}/${defect}` } as Project;
}

async function doctor(project: Project, args: string[] = [], env: Record<string, string> = {}): Promise<Finished> {
  const { url } = project as Project & { url: string };
  const finished = await command(['doctor', '--url', `${url}/replay`, '--set', 'agent.id=support', ...args], {
    cwd: project.path,
    env,
  });
  expect(project.leftovers()).toEqual([]);
  return finished;
}

function diagnosisIn({ stdout }: Finished): Diagnosis {
  return JSON.parse(stdout) as Diagnosis;
}

/** Rules and how they came out, but for those that passed or were skipped. */
function troubles({ environment, agents }: Diagnosis): string[] {
  return [...environment, ...agents.flatMap(({ rules }) => rules)]
    .filter(({ state }) => state !== 'pass' && state !== 'skip')
    .map(({ rule, state, seen }) => `${rule} ${state}: ${seen[0]}`);
}

describe.concurrent('agent-replay doctor', () => {
  test('fault 100: says before it calls anything that tools act for real, with the two remedies', async () => {
    await using project = await projectWith({});
    const { stderr } = await command(['doctor'], { cwd: project.path });
    const said = /^note: replays call the tools of the agent for real, .*--tools recorded.*a sandbox/m.exec(stderr);
    expect(said?.index).toBeLessThan(stderr.indexOf('starting the agent'));
  });

  test('says what it costs before it starts anything, and prints a row for each rule', async () => {
    await using project = await projectOf('right');
    const { code, stdout, stderr } = await doctor(project);
    expect(stderr.indexOf('7 calls')).toBeLessThan(stderr.indexOf('starting support'));
    expect(stderr.split('\n').filter((line) => line.startsWith('calling:'))).toHaveLength(8);
    // How long things take is of the machine.
    expect(steady(stdout).replaceAll(/\b\d+(?:\.\d+)? m?s\b/g, '<time>')).toMatchInlineSnapshot(`
      "  rule                result  what was seen
      ✔ config              pass    valid, with the root <folder>
      ✔ pins                pass    1 session, 1 turn
      ✔ self-test           pass    17 of 19 changes that matter would fail a run
                                    2 would be reported and fail none, 0 are not compared, 0 missed
                                    0 of 3 harmless changes would fail a run
      – workflow            skip    no workflow in .github/workflows runs agent-replay
      – platform            skip    none is configured, and none is needed: traces come to the receiver

      agent support at http://127.0.0.1:<port>/right/replay
      ✔ agent               pass    ready after <time>
                                    a process of it is seen to listen on its port
      ✔ answers             pass    200 at /right/replay
      ✔ json                pass    application/json
      ✔ messages            pass    "What can you help me with?" was answered
      ✔ input               pass    "Which languages do you speak?" was answered
      ✔ messages-first      pass    input was ignored
      ✔ body                pass    the trace of call 4 carries its id
      ✔ headers             pass    the trace of call 3 carries its id
      ✔ echo-replay-run-id  pass    echoed
      ✔ echo-session-id     pass    replay-doctor-<uuid>
      ✔ echo-run-id         pass    <uuid>
      ✔ output              pass    there
      ✔ errors              pass    400 for a request without messages and input
      ✔ repeat              pass    8 calls in a row
      ✔ side-by-side        pass    2 at the same time
      ✔ history             pass    with a call of clock in it
      ✔ memory              pass    2 of one session at the same time
      ✔ trace-keys          pass    accepted
      ✔ traced              pass    found by it
      ✔ complete            pass    3 observations
      ✔ new-trace           pass    a new one each time
      ✔ one-trace           pass    one each time
      ✔ flushed             pass    whole before the answer
      ✔ clock               pass    within the call
      ✔ trace-level         pass    at trace level
      ✔ inherited           pass    on all 3 spans
      ✔ replay-metadata     pass    all four
      ✔ agent-id            pass    support
      ✔ session-id          pass    replay-doctor-<uuid>
      ✔ run-id              pass    <uuid>
      ✔ same-path           pass    calls 1 and 3 differ
      ✔ generations         pass    1 generation
      ✔ tools               pass    7 tool calls
      ✔ unread              pass    all of it is read
      – reads               skip    nothing was read through the receiver
      ✔ secrets             pass    none found
      – tools-wrapped       skip    \`tools\` is not set, so all tools are live

      38 passed, 4 skipped; 8 calls. npx agent-replay help doctor explains each rule.
      "
    `);
    for (const line of stdout.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(100);
    expect(code).toBe(0);
  });

  test('a rule that fails is exit code 1, with its evidence and its fix in the JSON', async () => {
    await using project = await projectOf('no-run-id-in-the-answer');
    const finished = await doctor(project, ['--json']);
    const rules = diagnosisIn(finished).agents[0]?.rules;
    expect(rules?.find(({ rule }) => rule === 'echo-run-id')).toMatchObject({
      state: 'fail',
      seen: [expect.stringMatching(/^the trace says ".+", the answer nothing$/)],
      fix: expect.stringContaining('`run_id`'),
    });
    expect(finished.code).toBe(1);
  });

  test('its own questions are asked', async () => {
    await using project = await projectOf('right');
    const questions = ['--question', 'What is on sale?', '--question', 'Where is order "17"?'];
    const { code, stdout } = await doctor(project, questions);
    expect(stdout).toContain('"Where is order "17"?" was answered');
    expect(code).toBe(0);
    const { code: refused, stderr } = await doctor(project, ['--question', 'Only one?']);
    expect([refused, stderr]).toEqual([2, expect.stringContaining('Two different questions')]);
  });

  test('without traces, rules about them are skipped, and it says so', async () => {
    await using project = await projectOf('right');
    const { code, stdout } = await doctor(project, ['--set', 'tracing=none']);
    expect(stdout).toMatch(/rules +skip +tracing is none: no trace is read/);
    expect(stdout).toMatch(/^✔ headers +pass +the id was echoed$/m);
    expect(code).toBe(0);
  });

  test('an agent that never becomes ready could not be checked: exit code 2, and nothing is left', async () => {
    await using project = await projectOf('right', {}, { command: fixture('never-ready.js'), timeout: 500 });
    const finished = await doctor(project, ['--json']);
    expect(troubles(diagnosisIn(finished))).toEqual([
      'agent unknown: The agent was not ready after 0.5 s. (AGENT_NOT_READY)',
    ]);
    expect(finished.code).toBe(2);
  });

  test('a port that is taken: exit code 2', async () => {
    await using project = await projectOf('right');
    const other = createServer().listen(project.port, '127.0.0.1');
    const finished = await doctor(project, ['--json']).finally(() => other.close());
    expect(troubles(diagnosisIn(finished))).toEqual([expect.stringMatching(/^agent unknown: .*AGENT_PORT_IN_USE/)]);
    expect(finished.code).toBe(2);
  });

  test('an agent that ends in the middle of a call: exit code 2, with its last words', async () => {
    await using project = await projectOf('ends');
    const finished = await doctor(project, ['--json']);
    const { agents } = diagnosisIn(finished);
    expect(agents[0]?.rules[0]).toMatchObject({
      rule: 'agent',
      state: 'unknown',
      seen: expect.arrayContaining([
        expect.stringContaining('AGENT_CRASHED'),
        expect.stringContaining('out of memory'),
      ]),
    });
    expect(finished.code).toBe(2);
  });

  test('Ctrl-C in the middle of a call ends it all: exit code 130', async () => {
    await using project = await projectOf('hangs');
    const { url } = project as Project & { url: string };
    const running = start(['doctor', '--url', `${url}/replay`], { cwd: project.path });
    await running.printed(/calling: messages/);
    running.child.kill('SIGINT');
    const finished = await running.finished;
    expect(finished.code).toBe(130);
    expect(finished.stderr).toContain('INTERRUPTED');
    expect(project.leftovers()).toEqual([]);
  });

  test('a platform that is down: exit code 2, and the agent is not even started', async () => {
    await using project = await projectOf('right');
    const keys = { TRACING_HOST: NOWHERE, TRACING_PUBLIC_KEY: 'pk-lf-a', TRACING_SECRET_KEY: 'sk-lf-very-secret' };
    const finished = await doctor(project, ['--json', '--set', 'tracing=platform'], keys);
    expect(troubles(diagnosisIn(finished))).toEqual([
      expect.stringMatching(/^platform unknown: .*PLATFORM_UNREACHABLE/),
      expect.stringMatching(/^agent unknown: .*PLATFORM_UNREACHABLE/),
    ]);
    expect(finished.stderr).not.toContain('starting support');
    expect(finished.code).toBe(2);
  });

  test('keys that a platform refuses are named, and not shown', async () => {
    await using project = await projectOf('right');
    await using server = await serve(platform('dual', {}));
    const keys = {
      TRACING_HOST: server.url,
      TRACING_PUBLIC_KEY: KEYS.publicKey,
      TRACING_SECRET_KEY: 'sk-lf-wrong-key',
    };
    const finished = await doctor(project, ['--json', '--set', 'tracing=platform'], keys);
    expect(troubles(diagnosisIn(finished))).toContainEqual(
      expect.stringMatching(/^platform fail: .*PLATFORM_UNAUTHORIZED/),
    );
    expect(finished.stdout + finished.stderr).not.toContain('sk-lf-wrong-key');
    expect(finished.code).toBe(1);
  });

  test.for([
    ['Python', { 'requirements.txt': 'flask\n' }, ['`ReplaySpanProcessor()`'], ['`replaySpanProcessor()`']],
    ['TypeScript', { 'package.json': '{"name":"shop"}' }, ['`replaySpanProcessor()`'], ['`ReplaySpanProcessor()`']],
    ['who knows what', {}, ['`replaySpanProcessor()`', 'In Python: ', '`ReplaySpanProcessor()`'], []],
  ] as const)('the next move for an agent in %s is in its own words', async ([, files, says, omits]) => {
    await using project = await projectOf('metadata-on-the-root-only');
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(project.path, name), text);
    const { agents } = diagnosisIn(await doctor(project, ['--json']));
    const fix = agents[0]?.rules.find(({ rule }) => rule === 'inherited')?.fix ?? '';
    for (const word of says) expect(fix).toContain(word);
    for (const word of omits) expect(fix).not.toContain(word);
  });

  test('an agent elsewhere that cannot know where the receiver is: exit code 2, said at once', async () => {
    await using project = await projectOf('right');
    const args = ['doctor', '--json', '--url', 'http://127.0.0.1:9/replay', '--config', 'empty.json'];
    await writeFile(path.join(project.path, 'empty.json'), '{}');
    const finished = await command(args, { cwd: project.path });
    expect(troubles(diagnosisIn(finished))).toEqual([expect.stringMatching(/^agent unknown: .*RECEIVER_UNREACHABLE/)]);
    expect(finished.code).toBe(2);
  });

  test('no configuration: the rule that says so fails, and the next move is told', async () => {
    await using project = await projectOf('right');
    const finished = await command(['doctor', '--json', '--config', 'nowhere.json'], { cwd: project.path });
    expect(troubles(diagnosisIn(finished))).toEqual([
      'config fail: There is no configuration nowhere.json. (CONFIG_NOT_FOUND)',
    ]);
    expect(finished.code).toBe(1);
  });
});
