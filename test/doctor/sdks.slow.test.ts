import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Diagnosis } from '../../src/doctor/diagnose.ts';
import { command } from '../cli/command.ts';
import { projectWith } from '../cli/project.ts';

/** Agents of the tests of tracing, each traced with one SDK, and what doctor finds of their traces. */
test.for([
  ['Langfuse 3 (the ingestion API)', 'langfuse-v3-agent.ts'],
  ['Langfuse 5', 'langfuse-v5-agent.ts'],
  ['OpenTelemetry, over protobuf', 'plain-otel-agent.ts'],
  ['the AI SDK 6', 'ai-v6-agent.ts'],
  ['the AI SDK 7', 'ai-v7-agent.ts'],
  ['LangSmith', 'langsmith-agent.ts'],
])('doctor sees each replay of an agent that traces with %s, whole and with its keys', async ([, file = '']) => {
  const agent = fileURLToPath(new URL(`../tracing/fixtures/${file}`, import.meta.url));
  await using project = await projectWith({
    sessions: { a: 'a' },
    agent: {
      command: `"${process.execPath}" "${agent}"`,
      env: file.startsWith('langsmith') ? { LANGSMITH_TRACING: 'true' } : {},
    },
  });
  const { stdout, stderr } = await command(['doctor', '--json'], { cwd: project.path });
  expect(stdout, stderr).not.toBe('');
  const { agents } = JSON.parse(stdout) as Diagnosis;
  const rules = new Map(agents[0]?.rules.map(({ rule, state, seen }) => [rule, [state, seen[0]]]));
  expect(rules.get('trace-keys')).toEqual(['pass', 'accepted']);
  expect(rules.get('traced')).toEqual(['pass', 'found by it']);
  expect(rules.get('complete')?.[0]).toBe('pass');
  expect(project.leftovers()).toEqual([]);
});
