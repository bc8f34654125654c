import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { leadTheWholeWay, OTHER_AMOUNT } from '../frameworks/lead.ts';
import { startModelServer } from '../frameworks/model-server.ts';
import { walkOf } from '../frameworks/walk.ts';
import { removed } from '../programs.ts';
import { pythonWith, venvOf } from './python.ts';

/**
 * Agents in Python as their frameworks' users have them, each led the whole way, and with recorded tools. With Debian's
 * packages (`apt-get install python3-fastapi python3-uvicorn python3-flask python3-venv`), or with those of
 * AGENT_REPLAY_PYTHON. With packages of the index, and OpenTelemetry's SDK: `test/frameworks/walks/python-fastapi`.
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
      // It brings the Python half, which the agent's environment needs.
      expect(await command(['init', '--yes', '--agent-id', 'shop'], { cwd: folder })).toMatchObject({ code: 0 });
      const env = {
        ...venvOf(python, folder),
        ...model.env,
        PYTHONDONTWRITEBYTECODE: '1',
        ENVIRONMENT: 'production',
      };
      const walk = { ...walkOf(name), prompt: 'agent.py', init: [], mayWarn: /^! / };
      await leadTheWholeWay({ ...walk, folder, env, model });
      const recorded = await command(['run', ...OTHER_AMOUNT, '--tools', 'recorded'], { cwd: folder, env });
      expect(recorded.code, recorded.stdout).toBe(0);
    } finally {
      await removed(folder);
    }
  },
);
