import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { PACKAGE_ROOT, pythonWith } from './python.ts';

const python = pythonWith();
const typed = pythonWith('mypy');

const run = (interpreter: string | undefined, ...args: string[]) =>
  spawnSync(interpreter as string, args, {
    cwd: PACKAGE_ROOT,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' },
  });

test.skipIf(python === undefined)("the Python package's own tests pass, without a warning", () => {
  const { stderr, status } = run(python, '-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests');
  expect(stderr).toMatch(/^Ran \d\d tests/m);
  expect(status, stderr).toBe(0);
});

test.skipIf(typed === undefined)('the Python package is strictly typed', () => {
  const { stdout, stderr, status } = run(typed, '-m', 'mypy', '--no-incremental', '--cache-dir', '/dev/null');
  expect(status, stdout + stderr).toBe(0);
});

test('both halves are of one version, and the Python half needs nothing but Python', () => {
  const manifest = readFileSync(path.join(PACKAGE_ROOT, 'pyproject.toml'), 'utf8');
  expect(manifest).toContain(`version = "${VERSION}"`);
  expect(manifest).toContain('dependencies = []');
  expect(readFileSync(path.join(PACKAGE_ROOT, 'src/agent_replay/__init__.py'), 'utf8')).toContain(
    `__version__ = "${VERSION}"`,
  );
});

test.skipIf(python === undefined)(
  'a program that imports the package loads nothing that is not in Python itself',
  () => {
    const script = `
import sys
before = set(sys.modules)
import agent_replay.endpoint, agent_replay.messages, agent_replay.tools, agent_replay.tracing
own = {name.split(".")[0] for name in set(sys.modules) - before}
print(sorted(own - set(sys.stdlib_module_names)))
`;
    expect(run(python, '-c', script).stdout).toBe("['agent_replay']\n");
  },
);
