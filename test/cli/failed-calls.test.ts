import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'vitest';
import { withSeen } from '../../src/report/index.ts';
import { outcomes } from '../outcomes.ts';
import { wholeMessage } from '../whole-message.ts';
import { command } from './command.ts';
import { projectWith } from './project.ts';

test.concurrent('a crash with a trace of its own is no divergence, and is not accepted', async ({ expect }) => {
  await using project = await projectWith({
    sessions: { order: 'hi' },
    agent: { env: { FAILS: '500', CRASHES: '1' } },
  });
  const { code } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  const { results } = await project.report();
  expect(results.sessions).toMatchObject([
    {
      verdict: outcomes.couldNotTell,
      turns: [{ comparison: { divergence: null }, problems: [{ code: 'RESPONSE_STATUS' }] }],
    },
  ]);
  const before = await project.read('replays/order.session.json');
  const { code: refused, stderr } = await command(['accept'], { cwd: project.path });
  expect(refused).toBe(2);
  expect(stderr).toMatchInlineSnapshot(`
    "error: replays/order.session.json, turn 1 is left as it is: none of its replays could be compared. (RUN_NOT_VERIFIED)
      RESPONSE_STATUS: The agent answered with status 500: it failed.
      -> Run the session again, then accept that run.
    "
  `);
  expect(await project.read('replays/order.session.json')).toBe(before);
});

test.concurrent('an answer that stands nowhere in the trace is told once, and changes no verdict', async ({
  expect,
}) => {
  await using project = await projectWith({ sessions: { one: 'says otherwise', two: ['a', 'says otherwise'] } });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    "ANSWER_NOT_TRACED 4 replays of one, two: The agent's answer is nowhere in the trace, so it was not compared.",
  );
  expect(stdout.match(/ANSWER_NOT_TRACED/g)).toHaveLength(1);
  expect(stdout).toContain('answered: Sorry, something went wrong.');
  const { results } = await project.report();
  const [warning] = withSeen(await project.report()).results.sessions[0]?.turns[0]?.warnings ?? [];
  expect(wholeMessage(warning!)).toMatchInlineSnapshot(`
    "The agent's answer is nowhere in the trace, so it was not compared. (ANSWER_NOT_TRACED)
      answered: Sorry, something went wrong.
      -> Set the output of the turn's root span to what the endpoint answers."
  `);
  expect(
    results.sessions.flatMap(({ turns }) => turns.map(({ warnings }) => warnings?.map(({ runs }) => runs))),
  ).toEqual([[[1, 2]], undefined, [[1, 2]]]);
  for (const file of ['report.md', 'junit.xml', 'report.html']) {
    expect(await project.read(`.agent-replay/${file}`)).toContain('ANSWER_NOT_TRACED');
  }
});

test.concurrent('an error that the agent prints with its stack for each replay is shown once, with how often it came', async ({
  expect,
}) => {
  await using project = await projectWith({
    sessions: { order: 'hi' },
    config: { runs: 5, workers: 1, retries: 0, timeouts: { trace: 1_000 } },
    agent: { command: 'node refused.cjs' },
  });
  const server = `require('node:http').createServer((request, response) => {
  if (request.method !== 'POST') return response.end();
  console.error('A replay failed:', new Error('no connection', { cause: { port: 4999 } }));
  console.error(JSON.stringify({ status: 500 }));
  response.writeHead(500).end('{}');
}).listen(process.env.PORT, '127.0.0.1');`;
  await writeFile(path.join(project.path, 'refused.cjs'), server);
  const { stderr, stdout } = await command(['run'], { cwd: project.path });
  expect(stderr.match(/^agent\| A replay failed: Error: no connection$/gm)).toHaveLength(1);
  expect(stderr).toMatch(/^agent\| A replay failed: Error: no connection \(\d more alike\)$/m);
  expect(stderr.match(/port: 4999/g)).toHaveLength(1);
  expect(stderr.match(/^agent\| \{"status":500\}$/gm)?.length).toBeGreaterThan(1);
  const kept = await command(['pin', 'replays/order.session.json', '--runs', '3', '--yes'], { cwd: project.path });
  expect(kept.stderr.match(/\d more alike/g), kept.stderr).toHaveLength(1);
  expect(stdout).toContain('agent: A replay failed: Error: no connection');
});
