import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { inAction } from '../../action/words.ts';
import { programFor } from '../../src/cli/main.ts';

test.for([
  ['12 runs could settle it: --runs 12', '12 runs could settle it: input "runs" set to 12'],
  [
    'name it with --config, or give --url and --start.',
    'name it with input "config", or give input "url" and input "start".',
  ],
  ['Run `agent-replay doctor`.', 'Run `agent-replay doctor`.'],
  [
    'wanted: run `npx agent-replay accept --as-recordings` (keeps all) and commit the changed recordings',
    'wanted: run `/agent-replay accept --as-recordings` in a comment (keeps all)',
    'wanted: run `npx agent-replay run`, then `npx agent-replay accept --as-recordings` (keeps all) and commit the changed recordings',
  ],
  [
    'make it the original with `npx agent-replay accept`.',
    'make it the original with `/agent-replay accept` in a comment.',
    'make it the original with `npx agent-replay run`, then `npx agent-replay accept`.',
  ],
  [
    'keep these runs: `npx agent-replay accept --as-recordings --pin replays/small-refund.session.json`. Or record more: `npx agent-replay pin --runs 10 --more replays/a.session.json`.',
    'keep these runs: `/agent-replay accept --as-recordings small-refund` in a comment. Or record more: `npx agent-replay pin --runs 10 --more replays/a.session.json`.',
    'keep these runs: `npx agent-replay run`, then `npx agent-replay accept --as-recordings`. Or record more: `npx agent-replay pin --runs 10 --more replays/a.session.json`.',
  ],
  [
    'with files of its own: `npx agent-replay accept out/report.json --force --config my.config.ts`.',
    'with files of its own: `npx agent-replay run --config my.config.ts`, then `npx agent-replay accept --force --config my.config.ts`.',
  ],
  [
    'what no comment can say: `npx agent-replay accept --as-recordings --force --pin replays/pay.session.json` and commit the changed recordings',
    'what no comment can say: `npx agent-replay run`, then `npx agent-replay accept --as-recordings --force` and commit the changed recordings',
  ],
] as const)('what the core says in options is said in inputs: %s', ([core, action, withoutAccept = action]) => {
  expect(inAction(core, { accepts: true })).toBe(action);
  expect(inAction(core, { accepts: false })).toBe(withoutAccept);
});

test('of all sentences only commands that exist are set as code, and those that reach the action are marked', async () => {
  const names = (await programFor([])).commands.map((command) => command.name());
  const strings = execFileSync(process.execPath, ['scripts/strings.ts'], { encoding: 'utf8', maxBuffer: 2 ** 24 });
  const sentences = strings.trim().split('\n');
  const isCommand = (text: string) =>
    new RegExp(`^/?(npx )?agent-replay (${names.join('|')}|--help)(?![\\w-])`).test(text);
  for (const sentence of sentences) {
    const [text, said] = [sentence, inAction(sentence, { accepts: true })];
    for (const [, code = ''] of said.matchAll(/`(\/?(?:npx )?agent-replay [^`]*)`/g))
      expect([text, code, isCommand(code)]).toEqual([text, code, true]);
  }
  expect(sentences.join('\n')).toContain('agent-replay cannot tell');
  // What the command itself prints for a terminal, and whole commands, need no mark.
  const reach = sentences.filter((sentence) => /^src\/(?!cli|ui|init|doctor|proxy)/.test(sentence));
  const unmarked = new RegExp(`(?<!npx) agent-replay (${names.join('|')})(?![\\w-])`);
  expect(reach.filter((sentence) => unmarked.test(sentence))).toEqual([]);
});
