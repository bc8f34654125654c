import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { command } from '../cli/command.ts';
import { outcomes } from '../outcomes.ts';
import { AGENTS, withTools } from './edits.ts';
import { type InstalledAgent, installedFrom, type Packed, packed } from './installed.ts';
import { INSTALLED_AGENTS } from './installed-edits.ts';
import { copyOf } from './project.ts';

const INSTALLED: readonly InstalledAgent[] = [...INSTALLED_AGENTS, { name: 'python-fastapi' }];
const QUESTIONS = ['Where is order 7?', 'Refund it.', 'Hello?', 'Where is order 7 now?', 'Thank you!'];

let archive: Packed;
beforeAll(async () => {
  archive = await packed();
});
afterAll(() => archive[Symbol.asyncDispose]());

/** By agent: its recorded turns. */
const turns = new Map<string, number>();

describe('unchanged, every turn is as recorded without a model', () => {
  test.each(AGENTS)('$example', async ({ example, ...agent }) => {
    await using folder = await copyOf(example, { ...agent, config: withTools(agent) });
    expect(await folder.call('run', '--offline', '--quiet')).toMatchObject({ code: 0 });
    turns.set(example, await turnsAsRecorded(folder.path));
  });

  test.each(INSTALLED)('$name', async (agent) => {
    const { folder, env } = await installedFrom(archive, agent, QUESTIONS);
    const ran = await command(['run', '--offline', '--quiet', '--tools', 'live'], { cwd: folder, env });
    expect(ran, ran.stdout).toMatchObject({ code: 0 });
    turns.set(agent.name, await turnsAsRecorded(folder));
  });

  test('these are 47 turns or more, of nine agents: two in Python, and others with three frameworks', () => {
    expect([...turns.keys()]).toEqual([...AGENTS.map(({ example }) => example), ...INSTALLED.map(({ name }) => name)]);
    expect(turns.size).toBe(9);
    expect([...turns.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(47);
    expect([...turns.keys()].filter((name) => name.startsWith('python'))).toHaveLength(2);
  });
});

async function turnsAsRecorded(folder: string): Promise<number> {
  const file = path.join(folder, '.agent-replay', 'report.json');
  const { results } = parseReport(await readFile(file, 'utf8'), file);
  const all = results.sessions.flatMap((session) => session.turns);
  for (const { comparison } of all) expect(comparison.verdict).toBe(outcomes.asRecorded);
  return all.length;
}
