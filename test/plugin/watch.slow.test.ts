import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { fixture } from '../cli/project.ts';
import { outcomes } from '../outcomes.ts';
import { vitestProject } from './vitest-project.ts';

const AGENT = await readFile(path.join(import.meta.dirname, '../cli/fixtures/agent.ts'), 'utf8');
const OWN = `
import { session } from 'agent-replay/vitest';
import { expect, test } from 'vitest';
test('own', async () => {
  await expect(session('one')).toReproduce();
});
`;
const PLAIN = `import { test } from 'vitest';\ntest('plain', () => {});\n`;
const END = /press h to show help/;

describe.concurrent.for([4, 5] as const)('Vitest %i', (major) => {
  test('names the setting that an edit of the agent needs to rerun anything, where it is not set', async ({
    expect,
  }) => {
    await using project = await vitestProject({ sessions: { one: 'a' }, config: { offline: false } }, major);
    await using vitest = project.watch();
    expect(await vitest.until(END)).toContain('note: an edit of the agent reruns nothing, as no `agent.watch` says');
  });

  test('reruns a session whose pin changed, and what an agent touched whose file changed; keeps it in between', async ({
    expect,
  }) => {
    await using project = await vitestProject(
      {
        sessions: { one: 'a', two: 'b' },
        files: { 'agent.ts': AGENT, 'own.test.ts': OWN, 'plain.test.ts': PLAIN },
        agent: { command: `"${process.execPath}" agent.ts`, watch: ['agent.*'] },
        config: { offline: false },
      },
      major,
    );
    // As editors save: a watcher that looks at a bad moment sees the old file or the new one, and no empty one.
    const change = async (file: string, edit: (text: string) => string) => {
      const saved = path.join(project.path, `node_modules/${path.basename(file)}`);
      await writeFile(saved, edit(await project.read(file)));
      await rename(saved, path.join(project.path, file));
    };
    await using vitest = project.watch();
    const first = await vitest.until(END);
    expect(first).toMatch(/Tests +4 passed/);
    expect(first).not.toContain('`agent.watch`');
    const agent = project.leftovers();
    expect(agent).not.toEqual([]);

    await change('replays/one.session.json', (text) => text.replaceAll('"a"', '"z"').replaceAll('to a', 'to z'));
    const pinChanged = await vitest.until(END);
    expect(pinChanged).toContain('asked: z');
    expect(pinChanged).toMatch(/Tests +1 passed/);
    expect(project.leftovers()).toEqual(agent);

    await change('agent.ts', (text) => text.replace("PREFIX = ''", "PREFIX = 'new '"));
    const agentChanged = await vitest.until(END);
    expect(agentChanged).toContain('lookup.text: "b" → "new b"');
    // Both pins and the test that asks for one; not the plain one.
    expect(agentChanged).toMatch(/Tests +3 failed \(3\)/);
    expect(project.leftovers()).not.toEqual(agent);

    await change('agent.ts', () => 'process.exit(3);');
    expect(await vitest.until(END)).toContain('could not tell: AGENT_EXITED');
    expect((await project.report()).results.status).toBe('error');
    await change('agent.ts', () => AGENT);
    expect(await vitest.until(END)).toMatch(/Tests +3 passed/);

    await vitest.kill('SIGKILL');
    await expect.poll(() => project.leftovers()).toEqual([]);
  });

  test('a file that is saved while the agent starts anew for the last one leads to a run of its own, after that one', async ({
    expect,
  }) => {
    const waiting = `import { existsSync as isThere } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
console.error('agent is starting');
while (!isThere('go')) await pause(10);
`;
    await using project = await vitestProject(
      {
        sessions: { one: 'a', two: 'b' },
        files: { 'agent.ts': AGENT, 'part.ts': '' },
        agent: { command: `"${process.execPath}" agent.ts`, watch: ['agent.ts', 'part.ts'] },
        config: { offline: false },
      },
      major,
    );
    await using vitest = project.watch();
    expect(await vitest.until(END)).toMatch(/Tests +2 passed/);
    await writeFile(path.join(project.path, 'agent.ts'), waiting + AGENT);
    await vitest.until(/agent is starting/);
    await writeFile(path.join(project.path, 'part.ts'), '// saved');
    await vitest.until(/RERUN .*part\.ts/);
    await writeFile(path.join(project.path, 'go'), '');
    const [first, second] = [await vitest.until(END), await vitest.until(END)];
    for (const run of [first, second]) expect(run).toMatch(/Tests +2 passed/);
    expect(first + second).not.toContain('INTERNAL');
  });

  test('with --shard and --merge-reports gives the report of one run', async ({ expect }) => {
    await using project = await vitestProject({ sessions: { one: 'a', two: 'b', flip: 'varies' } }, major);
    for (const shard of ['1/2', '2/2']) {
      await project.vitest([`--shard=${shard}`, '--reporter=blob', `--outputFile=blobs/${shard[0]}.json`]);
      expect((await project.report()).results.sessions.length).toBeLessThan(3);
      await rm(path.join(project.path, '.agent-replay'), { recursive: true });
    }
    const { code, output } = await project.vitest(['--merge-reports=blobs']);
    expect(output).not.toContain('asked:');
    expect(output).toMatch(/Diverged: varies: .*replays\/flip\.session\.json:5:5/s);
    expect(output).toMatch(/✘ failed: 1 of 3 sessions varies/);
    expect(code).toBe(1);
    const { results, evidence } = parseReport(await project.read('.agent-replay/report.json'));
    expect(results.sessions.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['flip', outcomes.varies],
      ['one', outcomes.asRecorded],
      ['two', outcomes.asRecorded],
    ]);
    expect(evidence.usage.calls).toBe(6);
  });

  test('leaves nothing of an agent that ignores SIGTERM, whether the run ends, is interrupted or is killed', async ({
    expect,
  }) => {
    const agent = { command: fixture('stubborn.js'), gracefulShutdown: { signal: 'SIGTERM', timeout: 200 } } as const;
    const options = { sessions: { one: 'a' }, agent, config: { offline: false, timeouts: { call: 500, trace: 500 } } };
    await using project = await vitestProject(options, major);
    const { code, output } = await project.vitest();
    expect(output).toContain('could not tell: CALL_TIMEOUT');
    expect(code).toBe(1);
    expect(project.leftovers()).toEqual([]);
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      await using vitest = project.watch();
      await vitest.until(/asked/);
      await vitest.kill(signal);
      await expect.poll(() => project.leftovers()).toEqual([]);
    }
  });
});
