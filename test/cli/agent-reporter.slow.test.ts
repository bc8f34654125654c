import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from './command.ts';
import { demoProject } from './demo-project.ts';
import { projectWith } from './project.ts';

interface Line {
  readonly session?: string;
  readonly step?: number;
  readonly cause?: { readonly kind: string; readonly line?: { readonly recorded: string; readonly replayed: string } };
  readonly files?: readonly string[];
  readonly rerun?: string;
  readonly status?: string;
  readonly exitCode?: number;
}
const linesIn = (stdout: string): Line[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('from the lines of the reporter alone, a coding agent takes an edit of the prompt back and reruns what it broke', async () => {
  await using folder = await demoProject();
  const { code, stdout } = await command(['run'], { cwd: folder.path, env: { CLAUDECODE: '1' } });
  expect(code).toBe(1);
  const lines = linesIn(stdout);
  expect(lines).toMatchInlineSnapshot(`
    [
      {
        "cause": {
          "kind": "agent",
          "line": {
            "number": 5,
            "of": "system prompt",
            "recorded": "- Never refund more than 200 EUR yourself: create a ticket instead.",
            "replayed": "- Never refund more than 20 EUR yourself: create a ticket instead.",
          },
        },
        "files": [
          "prompts/system-v2.md:5",
        ],
        "pin": "replays/broken-kettle.session.json",
        "recorded": "refund_order",
        "replayed": "create_ticket",
        "rerun": "npx agent-replay run replays/broken-kettle.session.json --runs 2",
        "runs": "2 of 2",
        "session": "broken-kettle",
        "step": 3,
        "turn": 2,
        "verdict": "changed",
        "what": "step 3: create_ticket instead of refund_order",
      },
      {
        "cause": {
          "kind": "agent",
          "sameAs": "broken-kettle",
        },
        "pin": "replays/small-refund.session.json",
        "recorded": "refund_order",
        "replayed": "create_ticket",
        "rerun": "npx agent-replay run replays/small-refund.session.json --runs 2",
        "runs": "2 of 2",
        "session": "small-refund",
        "step": 5,
        "turn": 1,
        "verdict": "changed",
        "what": "step 5: create_ticket instead of refund_order",
      },
      {
        "exitCode": 1,
        "next": "Mend what was changed by mistake, and run the \`rerun\` of each line. If the new behaviour may be wanted, stop and ask a person.",
        "status": "failed",
        "title": "2 of 8 sessions changed, 6 as recorded",
      },
    ]
  `);
  const broken = lines.slice(0, -1);
  expect(broken.map(({ session, step, cause }) => [session, step, cause?.kind])).toEqual([
    ['broken-kettle', 3, 'agent'],
    ['small-refund', 5, 'agent'],
  ]);
  const [{ files = [], cause } = {}] = broken;
  const [file = '', line] = files[0]?.split(':') ?? [];
  expect([file, line]).toEqual(['prompts/system-v2.md', '5']);
  const text = await readFile(path.join(folder.path, file), 'utf8');
  await writeFile(path.join(folder.path, file), text.replace(cause?.line?.replayed ?? '', cause?.line?.recorded ?? ''));
  for (const { rerun = '' } of broken) {
    const args = rerun.replace(/^npx agent-replay /, '').split(' ');
    const again = await command(args, { cwd: folder.path, env: { CLAUDECODE: '1' } });
    expect(linesIn(again.stdout)).toEqual([expect.objectContaining({ status: 'passed', exitCode: 0 })]);
    expect(again.code).toBe(0);
  }
});

test('people get the table; agent is a reporter as any other', async () => {
  await using project = await projectWith({ sessions: { plain: 'hello' } });
  const table = await command(['run'], { cwd: project.path });
  expect(table.stdout).toContain('as recorded');
  const chosen = await command(['run', '--reporter', 'agent'], { cwd: project.path });
  expect(linesIn(chosen.stdout)).toHaveLength(1);
  expect(chosen.stderr).toBe('');
});

test('what nobody could tell is a line with its code', async () => {
  await using project = await projectWith({ sessions: { one: 'hello' } });
  const gone = await command(['run', '--reporter', 'agent', '--start', 'false'], { cwd: project.path });
  expect(gone.code).toBe(2);
  expect(linesIn(gone.stdout).at(-1)).toMatchObject({ status: 'error', exitCode: 2 });
  expect(linesIn(gone.stdout)[0]).toMatchObject({ code: expect.stringMatching(/^AGENT_/) });
});
