import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { unknownTools } from '../../src/compare/index.ts';
import { effectsOf } from '../../src/compare/keys/effects.ts';
import type { Json } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';

/**
 * Tools of public MCP servers with what their authors' annotations say, and of a few agents whose tools are known: server,
 * name, `read` or `write`. The labels were written down before the rule was run.
 */
const LABELLED = readFileSync(new URL('./fixtures/tool-names.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t') as [server: string, name: string, label: 'read' | 'write']);

const NOTHING_DECLARED = { tools: {} };

test('by its name alone at most 3.5 % of writes are taken for reads, and at most 18 % of reads for writes', () => {
  const { of } = effectsOf(NOTHING_DECLARED);
  const shareOf = (label: string) => {
    const own = LABELLED.filter((each) => each[2] === label);
    return own.filter(([, name]) => of({ name }) !== label).length / own.length;
  };
  expect(LABELLED.length).toBeGreaterThan(728);
  expect(shareOf('write')).toBeLessThanOrEqual(0.035);
  expect(shareOf('read')).toBeLessThanOrEqual(0.18);
  expect({ write: shareOf('write').toFixed(3), read: shareOf('read').toFixed(3) }).toMatchInlineSnapshot(`
    {
      "read": "0.082",
      "write": "0.023",
    }
  `);
});

test('a declaration decides before an annotation, an annotation before the name, and no replay makes a read of a tool', () => {
  const [reads, writes] = [new Map([['x', true]]), new Map([['x', false]])];
  const x = { name: 'x' };
  expect(effectsOf(NOTHING_DECLARED).of(x)).toBe('write');
  expect(effectsOf({ tools: { x: { readOnly: true } } }, writes).of(x)).toBe('read');
  expect(effectsOf({ tools: { x: { mutating: true, readOnly: true } } }, reads).of(x)).toBe('write');
  expect(effectsOf(NOTHING_DECLARED, reads).of(x)).toBe('read');
  expect(effectsOf(NOTHING_DECLARED, reads, writes).of(x)).toBe('write');
  expect(effectsOf(NOTHING_DECLARED, undefined, reads).of(x)).toBe('write');
  expect(effectsOf(NOTHING_DECLARED, writes).of({ name: 'x' })).toBe('write');
});

test.each<[tool: string, value: Json, effect: 'read' | 'write' | 'answer']>([
  ['bash', { command: 'ls -la src | grep test && cat a.txt' }, 'read'],
  ['bash', { command: 'git log --oneline; git diff HEAD~1 2>/dev/null' }, 'read'],
  ['bash', { command: 'git commit -am x' }, 'write'],
  ['bash', { command: 'echo hi > a.txt' }, 'write'],
  ['bash', { command: 'cat a 2>&1 | head -5' }, 'read'],
  ['bash', { command: 'find . -name "*.o" -delete' }, 'write'],
  ['bash', { command: 'sed -i s/a/b/ x' }, 'write'],
  ['bash', { command: 'sed -n 1,9p x' }, 'read'],
  ['bash', { command: 'cat $(rm x)' }, 'write'],
  ['run_command', { cmd: ['npm', 'test'] }, 'write'],
  ['execute_sql', { query: "select * from orders where note = 'update me; drop'" }, 'read'],
  ['execute_sql', { query: 'with x as (delete from orders returning *) select * from x' }, 'write'],
  ['execute_sql', { query: 'select 1; insert into a values (1)' }, 'write'],
  ['mcp__db__query', { sql: 'SELECT 1 -- insert' }, 'read'],
  ['execute_sql', {}, 'write'],
  ['Finish', 'Yes', 'answer'],
  ['mcp__update-server__get_item', {}, 'read'],
  ['hand_over', {}, 'write'],
  ['', {}, 'write'],
])('%s %j: %s', (name, value, effect) => {
  expect(effectsOf(NOTHING_DECLARED).of({ name, value })).toBe(effect);
});

test('what is known of a tool is no guess: a declaration, a statement, a name that reads', () => {
  const { isGuess } = effectsOf({ tools: { pay: { mutating: true } } });
  expect(['pay', 'get_order', 'bash'].map((name) => isGuess({ name, value: 'ls' }))).toEqual([false, false, false]);
  expect(isGuess({ name: 'hand_over' })).toBe(true);
});

test('of tools of which nothing is known those that hand over come first; a declaration or an annotation knows them', () => {
  const call = (name: string, input: object = {}) => ({
    type: 'tool',
    id: name,
    name,
    parentId: null,
    input,
    output: 'ok',
  });
  const recording = {
    output: 'done',
    observations: [
      { type: 'agent', id: 'turn', name: 'turn', parentId: null },
      ...['triage', 'get_order', 'create_ticket', 'transfer_to_human', 'bash'].map((name) =>
        call(name, { command: 'ls' }),
      ),
    ],
  } as unknown as Recording;
  expect(unknownTools([recording], { tools: {} })).toEqual(['transfer_to_human', 'triage']);
  expect(unknownTools([recording], { tools: { triage: { readOnly: true } } })).toEqual(['transfer_to_human']);
});
