import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../agent/processes.ts';
import { command, start } from '../cli/command.ts';
import { causesIn } from './causes-in.ts';
import { startModelServer } from './model-server.ts';
import { walkOf } from './walk.ts';

/**
 * Projects as their frameworks' users have them, installed from their own lock files, each led the whole way: init, doctor,
 * record, run unchanged, with an edited prompt, with a model's noise, with another result of a tool. `npm run test:soak`.
 */
const WALKS = path.join(import.meta.dirname, 'walks');
const ROOT = path.join(import.meta.dirname, '..', '..');
const TIMEOUT_MS = 60 * 60_000;
let packed: string;

beforeAll(() => {
  packed = mkdtempSync(path.join(tmpdir(), 'packed-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', packed], { cwd: ROOT });
});
afterAll(() => rmSync(packed, { recursive: true, force: true }));

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
      const env = {
        OPENAI_BASE_URL: model.url,
        OPENAI_API_KEY: 'sk-of-nobody',
        ANTHROPIC_BASE_URL: model.url.replace('/v1', ''),
        ANTHROPIC_API_KEY: 'sk-of-nobody',
        ...walk.env,
      };
      const replay = (...args: string[]) => command(args, { cwd: folder, env });

      const url = 'http://127.0.0.1:{port}/replay';
      const set = await replay('init', '--yes', '--agent-id', 'shop', '--url', url, ...walk.init);
      expect(set.code, set.stdout).toBe(0);
      const doctor = await replay('doctor', '--question', 'Where is order 7?', '--question', 'Hello?');
      // No session is pinned yet.
      expect(doctor.stdout.replace(/^! pins .*\n/m, '')).not.toMatch(/^[✘?!]/m);
      expect(doctor.code).toBe(0);

      const port = await freePort();
      const recording = start(['record', '--turns', '2', '--name', 'refund', '--agent-id', 'shop'], {
        cwd: folder,
        env: { ...env, PORT: String(port) },
      });
      const [, address = ''] = await recording.printed(/the agent listens on (\S+)\n/);
      await walk.converse(address, ['Where is order 7?', 'Refund it.']);
      const recorded = await recording.finished;
      expect(recorded.code, recorded.stdout + recorded.stderr).toBe(0);
      expect(recorded.stdout).not.toContain('TRACE_UNREAD');
      expect(recorded.stderr).not.toContain('TRACE_UNREAD');

      for (const started of [[], ...walk.alsoStarted.map((command) => ['--start', command])]) {
        const unchanged = await replay('run', ...started);
        expect(unchanged.stdout).toContain('5/5');
        expect(unchanged.code, unchanged.stdout).toBe(0);
      }

      const file = path.join(folder, walk.prompt);
      const source = readFileSync(file, 'utf8');
      writeFileSync(file, source.replace('up to 200 EUR', 'up to 100 EUR'));
      const edited = causesIn(await replay('run'), folder);
      expect(edited).toMatchObject({ code: 1, causes: ['agent'] });
      expect(edited.stdout).toContain('its system prompt differs at line 2');
      writeFileSync(file, source);

      model.isNoisy = true;
      expect(causesIn(await replay('run'), folder)).toMatchObject({ code: 1, causes: ['model'] });
      model.isNoisy = false;

      expect(causesIn(await replay('run', '--set', 'agent.env.SHOP_AMOUNT=130'), folder)).toMatchObject({
        code: 1,
        causes: ['environment'],
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);
