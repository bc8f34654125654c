/** The agent with a model of its own, so that it needs neither an account nor a network. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { startModelServer } from '../model-server/server.ts';

const model = await startModelServer();
const agent = spawn('python3', [path.join(import.meta.dirname, 'server.py')], {
  env: {
    ...process.env,
    MODEL_BASE_URL: model.url,
    // In a project of its own: pip install ./agent-replay-python (docs/python.md).
    PYTHONPATH: path.join(import.meta.dirname, '../../python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
  },
  stdio: 'inherit',
});
agent.once('error', (error) => {
  console.error(`python3 could not be started: ${error.message}`);
  process.exitCode = 1;
  model.close();
});
agent.once('exit', (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 0;
  model.close();
});
process.once('SIGTERM', () => agent.kill());
