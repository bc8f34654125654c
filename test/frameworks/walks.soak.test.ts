import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { removed } from '../programs.ts';
import { leadTheWholeWay } from './lead.ts';
import { startModelServer } from './model-server.ts';
import { walkOf } from './walk.ts';

/** Projects as their frameworks' users have them, installed from their own lock files, each led the whole way: `npm run test:soak`. */
const WALKS = path.join(import.meta.dirname, 'walks');
const ROOT = path.join(import.meta.dirname, '..', '..');
const TIMEOUT_MS = 60 * 60_000;
const URL_OF_REPLAYS = 'http://127.0.0.1:{port}/replay';
let packed: string;

beforeAll(() => {
  packed = mkdtempSync(path.join(tmpdir(), 'packed-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', packed], { cwd: ROOT });
});
afterAll(() => rmSync(packed, { recursive: true, force: true }));

const INSTALLED = readdirSync(WALKS).filter((name) => existsSync(path.join(WALKS, name, 'package.json')));

// The lock files of the walks hide what has been published since.
test.each(INSTALLED)(
  'the packages that the page names for %s go together with plain npm today',
  (name) => {
    const folder = mkdtempSync(path.join(tmpdir(), `install-${name}-`));
    try {
      cpSync(path.join(WALKS, name, 'package.json'), path.join(folder, 'package.json'));
      const args = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'];
      execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);

test.each(readdirSync(WALKS).sort())(
  '%s is led from init to a verdict of each kind',
  async (name) => {
    const walk = walkOf(name);
    const folder = mkdtempSync(path.join(tmpdir(), `walk-${name}-`));
    await using model = await startModelServer();
    try {
      cpSync(path.join(WALKS, name), folder, {
        recursive: true,
        filter: (file) => !/node_modules|\.next|\.venv/.test(file),
      });
      const [archive = ''] = readdirSync(packed);
      walk.install(folder, path.join(packed, archive));
      const init = ['--url', URL_OF_REPLAYS, ...walk.init];
      await leadTheWholeWay({ ...walk, folder, model, env: { ...model.env, ...walk.env }, init });
    } finally {
      await removed(folder);
    }
  },
  TIMEOUT_MS,
);
