import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conversations } from '../chat/conversations.ts';
import fc from '../fast-check.ts';

/**
 * The converters of `agent-replay/endpoint` against the packages that they are made for, which are installed from a lock
 * file of their own: `npm run test:soak`.
 */
const ROOT = path.join(import.meta.dirname, '..', '..');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'converters-'));
  cpSync(path.join(import.meta.dirname, 'converters'), folder, {
    recursive: true,
    filter: (file) => !file.includes('node_modules'),
  });
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  symlinkSync(ROOT, path.join(folder, 'node_modules', 'agent-replay'), 'dir');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('what is made for a framework is of its types', () => {
  const options = {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  };
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['check.ts', 'tools.ts'] }),
  );
  execFileSync(path.join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', folder], { stdio: 'inherit' });
});

test("the frameworks' own validators take it", () => {
  const lines = fc.sample(conversations, 500).map((messages) => JSON.stringify(messages));
  const said = execFileSync(process.execPath, ['check.ts'], { cwd: folder, input: lines.join('\n'), encoding: 'utf8' });
  expect(said).toContain('taken by all');
});

test('the recording answers for tools of the OpenAI Agents SDK, of LangChain and of Mastra', () => {
  const said = execFileSync(process.execPath, ['tools.ts'], { cwd: folder, encoding: 'utf8' });
  expect(said).toContain('tools of all are stood in for');
});
