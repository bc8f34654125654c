import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

async function demo(...args: string[]) {
  await using output = await folderWith({});
  const given = ['--config', 'examples/support-agent/recorded.config.ts', '--runs', '2', '--output-dir', output.path];
  const { code, stdout, stderr } = await command(['run', ...given, ...args], { cwd: ROOT });
  const { results } = parseReport(await readFile(path.join(output.path, 'report.json'), 'utf8'));
  return { code, stdout, stderr, results };
}

test('an empty shop is a change of the environment to real tools, and none to recorded ones: 0 refunds executed', async () => {
  const live = await demo('--tools', 'live');
  expect(live.code).toBe(1);
  const causes = live.results.sessions.flatMap(({ turns }) =>
    turns.flatMap(({ comparison }) => comparison.divergence?.cause.kind ?? []),
  );
  expect(new Set(causes)).toEqual(new Set(['environment']));
  const recorded = await demo();
  expect(recorded.results.title).toBe('8 of 8 sessions as recorded');
  expect(recorded.code).toBe(0);
  expect(recorded.stdout + recorded.stderr).toContain('0 refunds executed');
});

test('an edited prompt is red at the call that the recording does not hold', async () => {
  const edited = 'agent.env.SYSTEM_PROMPT_FILE=examples/support-agent/prompts/system-v2.md';
  const { code, results, stdout, stderr } = await demo('--set', edited);
  expect(code).toBe(1);
  expect(stdout + stderr).toContain('0 refunds executed');
  const missed = results.sessions.flatMap(({ turns }) =>
    turns.flatMap(({ comparison: { divergence } }) =>
      divergence?.missed === undefined ? [] : [[divergence.missed.name, divergence.cause.kind]],
    ),
  );
  expect(missed).toEqual([
    ['create_ticket', 'agent'],
    ['create_ticket', 'agent'],
  ]);
});
