import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command, start } from '../cli/command.ts';
import { causesIn } from '../frameworks/causes-in.ts';
import { startModelServer } from '../frameworks/model-server.ts';
import { PACKAGE_ROOT, pythonWith, venvOf } from './python.ts';

/**
 * Agents in Python as their frameworks' users have them, each led the whole way: init, doctor, record, run unchanged, with an
 * edited prompt, with a model's noise, with another result of a tool, with recorded tools. With Debian's packages (`apt-get
 * install python3-fastapi python3-uvicorn python3-flask python3-venv`), or with those of AGENT_REPLAY_PYTHON.
 */
const WALKS = path.join(import.meta.dirname, 'walks');

test.for([
  ['fastapi', ['fastapi', 'uvicorn']],
  ['flask', ['flask']],
] as const)(
  'an agent in Python with %s is led from init to a verdict of each kind',
  async ([name, modules], { skip }) => {
    const python = pythonWith(...modules, 'venv');
    if (python === undefined) return skip(`no python3 here has ${modules.join(' and ')}`);
    const folder = mkdtempSync(path.join(tmpdir(), `walk-${name}-`));
    await using model = await startModelServer();
    try {
      cpSync(path.join(WALKS, 'agent'), folder, { recursive: true });
      cpSync(path.join(WALKS, name), folder, { recursive: true });
      cpSync(PACKAGE_ROOT, path.join(folder, 'agent-replay-python'), { recursive: true });
      const env = {
        ...venvOf(python, folder),
        OPENAI_BASE_URL: model.url,
        PYTHONDONTWRITEBYTECODE: '1',
        ENVIRONMENT: 'production',
      };
      const replay = (...args: string[]) => command(args, { cwd: folder, env });

      const set = await replay('init', '--yes', '--agent-id', 'shop');
      expect(set.code, set.stdout + set.stderr).toBe(0);
      expect(set.stdout).toContain('app.add_');
      const doctor = await replay('doctor', '--question', 'Where is order 7?', '--question', 'Hello?');
      expect(doctor.stdout).not.toMatch(/^[✘?]/m);
      expect(doctor.code, doctor.stdout).toBe(0);

      const recording = start(['record', '--turns', '2', '--name', 'refund', '--agent-id', 'shop'], {
        cwd: folder,
        env,
      });
      const [, address = ''] = await recording.printed(/the agent listens on (\S+)\n/);
      for (const message of ['Where is order 7?', 'Refund it.']) {
        const response = await fetch(`${address}/chat`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ session: 'one', message }),
        });
        expect(await response.text()).toContain('Done: ');
      }
      const recorded = await recording.finished;
      expect(recorded.code, recorded.stdout + recorded.stderr).toBe(0);
      expect(recorded.stdout + recorded.stderr).not.toContain('TRACE_UNREAD');

      const unchanged = await replay('run');
      expect(unchanged.stdout).toContain('5/5');
      expect(unchanged.code, unchanged.stdout).toBe(0);

      const file = path.join(folder, 'agent.py');
      const source = readFileSync(file, 'utf8');
      writeFileSync(file, source.replace('up to 200 EUR', 'up to 100 EUR'));
      const edited = causesIn(await replay('run'), folder);
      expect(edited).toMatchObject({ code: 1, causes: ['agent'] });
      expect(edited.stdout).toContain('its system prompt differs at line 2');
      writeFileSync(file, source);

      model.isNoisy = true;
      expect(causesIn(await replay('run'), folder)).toMatchObject({ code: 1, causes: ['model'] });
      model.isNoisy = false;

      const changed = ['--set', 'agent.env.SHOP_AMOUNT=130'];
      expect(causesIn(await replay('run', ...changed), folder)).toMatchObject({ code: 1, causes: ['environment'] });
      expect(await replay('run', ...changed, '--tools', 'recorded')).toMatchObject({ code: 0 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
