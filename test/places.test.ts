import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { Places } from '../src/files/index.ts';
import { folderWith } from './config/folder.ts';

const FILES = {
  'prompts/system.md': 'You are kind.\nNever refund more than 20 EUR.\n',
  // Quotes it.
  'docs/support.md': 'Never refund more than 20 EUR.\n',
  'src/tools.ts': 'export const tools = {\n  refund_order() {},\n};\n',
  'src/refunds.ts': 'export const refund_order_later = 1;\n',
  'replays/a.session.json': '{ "text": "Never refund more than 20 EUR.", "name": "refund_order" }',
  'node_modules/x/index.js': 'refund_order',
  '.env': 'PROMPT="Never refund more than 20 EUR."',
};

test('a line that a prompt and code hold is found in both, since either may be the one that the agent reads', async () => {
  const line = 'Never refund more than 20 EUR.';
  await using folder = await folderWith({
    'prompts/old.md': line,
    'src/agent.ts': `say(\`${line}\`);`,
    'README.md': line,
  });
  expect(new Places(folder.path).of({ line })).toEqual(['prompts/old.md:1', 'src/agent.ts:1']);
});

test('a line of a prompt and the name of a tool are found where they are edited, with Git and without it', async () => {
  await using folder = await folderWith(FILES);
  const found = () => {
    const places = new Places(folder.path);
    return [
      places.of({ line: 'Never refund more than 20…', tool: 'refund_order' }),
      places.of({ tool: 'refund_order' }),
      places.of({ line: 'kind.' }),
      places.of({ line: 'Nobody says this anywhere.', tool: '.*' }),
      // Names are what an agent says: of any length, or none.
      places.of({ tool: '['.repeat(50_000) }),
      places.of({ tool: '' }),
    ];
  };
  const expected = [['prompts/system.md:2'], ['src/tools.ts:2'], [], [], [], []];
  expect(found()).toEqual(expected);
  spawnSync('git', ['init', '-q'], { cwd: folder.path });
  expect(found()).toEqual(expected);
});
