import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { diagnose } from '../../src/doctor/index.ts';
import { command, start } from './command.ts';
import { fixture, projectWith } from './project.ts';

test('an agent without a span around its turn: the traces of a request are pinned and replayed as one turn, and that is said', async () => {
  await using project = await projectWith({
    agent: { command: fixture('bare-agent.ts'), env: { LANG: 'C' } },
    files: { 'package.json': '{"scripts":{"start":"node ."}}' },
  });
  const running = start(['record', '--port', String(project.port), '--turns', '2'], { cwd: project.path });
  await running.printed(/the agent listens on/);
  for (const message of ['Where is order 7?', 'Where is order 8?']) {
    await (
      await fetch(`http://127.0.0.1:${project.port}/chat`, { method: 'POST', body: JSON.stringify({ message }) })
    ).text();
  }
  const recorded = await running.finished;
  expect(recorded.code, recorded.stderr).toBe(0);
  const files = (await readdir(path.join(project.path, 'replays'))).sort();
  expect(files).toEqual(['where-is-order-7.session.json', 'where-is-order-8.session.json']);
  const { turns } = JSON.parse(await project.read(`replays/${files[0]}`));
  expect(turns).toMatchObject([{ recorded: { output: [{ content: 'found for Where is order 7?' }] } }]);
  expect(/warning: [^(]*\(TRACE_SPLIT\)\n.*\n.*\n/.exec(recorded.stderr)?.[0]).toMatchInlineSnapshot(`
    "warning: One request made several traces, which are compared as one turn. (TRACE_SPLIT)
      2 traces without a span around the turn
      -> Open one span around the turn, which \`npx agent-replay doctor --fix\` writes where it can: \`import { trace } from '@opentelemetry/api';\` and \`return trace.getTracer('agent').startActiveSpan('turn', { attributes: { 'gen_ai.operation.name': 'invoke_agent' } }, (span) => answer(request).catch((error) => { span.setStatus({ code: 2 }); throw error; }).finally(() => span.end()));\`.
    "
  `);

  const run = await command(['run'], { cwd: project.path });
  expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('2 of 2 ')]);
  expect(run.stdout).toContain('TRACE_SPLIT');
  expect(run.stdout).toContain("import { trace } from '@opentelemetry/api';");
});

test('doctor says that a request made several traces, with what to do in the language of the agent', async () => {
  const found = async (files: Record<string, string>) => {
    await using project = await projectWith({ agent: { command: fixture('bare-agent.ts') }, files });
    const { stdout } = await command(['doctor', '--json'], { cwd: project.path });
    const { agents } = JSON.parse(stdout) as Awaited<ReturnType<typeof diagnose>>;
    return agents[0]?.rules.find(({ rule }) => rule === 'one-trace');
  };
  const script = { 'package.json': '{"scripts":{"start":"node ."}}' };
  const [inJavaScript, inPython] = await Promise.all([found(script), found({ 'pyproject.toml': '' })]);
  expect(inJavaScript).toMatchInlineSnapshot(`
    {
      "fix": "Open one span around the turn, which \`npx agent-replay doctor --fix\` writes where it can: \`import { trace } from '@opentelemetry/api';\` and \`return trace.getTracer('agent').startActiveSpan('turn', { attributes: { 'gen_ai.operation.name': 'invoke_agent' } }, (span) => answer(request).catch((error) => { span.setStatus({ code: 2 }); throw error; }).finally(() => span.end()));\`.",
      "rule": "one-trace",
      "seen": [
        "One request made several traces, which are compared as one turn. (TRACE_SPLIT)",
        "2 traces without a span around the turn",
      ],
      "state": "warn",
    }
  `);
  expect(inPython?.fix).toMatchInlineSnapshot(
    `"Open one span around the turn: \`from opentelemetry import trace\` and \`with trace.get_tracer("agent").start_as_current_span("turn", attributes={"gen_ai.operation.name": "invoke_agent"}):\`."`,
  );
});
