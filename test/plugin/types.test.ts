import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { vitestProject } from './vitest-project.ts';

const TYPED = `
import { session } from 'agent-replay/vitest';
import { expect, inject, test } from 'vitest';

test('typed', async () => {
  await expect(session('one', { turn: 1 })).toReproduce({ runs: 5, strictness: 'behaviour' });
  await expect(session('one')).not.toAgree();
  const [trace] = await session('one').replay();
  expect(trace).toHaveCalledTool('lookup', expect.objectContaining({ text: 'a' }));
  expect(trace).toMatchTrajectory(['lookup', { name: 'refund', args: expect.anything() }], { mode: 'superset' });
  const url: string | undefined = inject('agentReplay').agents[0]?.url;
  // @ts-expect-error: no such strictness
  await expect(session('one')).toReproduce({ strictness: 'loose' });
  // @ts-expect-error: no such mode
  expect(trace).toMatchTrajectory([], { mode: 'any' });
  // @ts-expect-error: no such address
  inject('agentReplay').other;
  return void url;
});
`;
const TSCONFIG = JSON.stringify({
  compilerOptions: { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, skipLibCheck: true, types: [] },
  include: ['*.ts'],
});

test('matchers, sessions, options and provided addresses are typed for a project that installs the package', async () => {
  await using project = await vitestProject({
    files: {
      'own.test.ts': TYPED,
      'tsconfig.json': TSCONFIG,
      'options.ts': `import { agentReplay } from 'agent-replay/vitest';
        agentReplay({ config: 'a.ts', runs: 2, compare: { strictness: 'exact' } });
        // @ts-expect-error: no such setting
        agentReplay({ rnus: 2 });`,
    },
  });
  const tsc = path.join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', project.path]).catch((error) => error);
  expect(stdout).toBe('');
});
