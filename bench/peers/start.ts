// Measures how long a command takes until its first output: `node start.ts`.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { many, medianOf, record } from '../results.ts';
import { measured, OWN_MODULES, type Tool } from './tools.ts';

const ROUNDS = many(9);
const BIN = fileURLToPath(new URL('../../bin/agent-replay.js', import.meta.url));
const bin = (file: string) => [process.execPath, path.join(import.meta.dirname, 'node_modules', file), '--version'];
const env = { PROMPTFOO_DISABLE_TELEMETRY: '1', PROMPTFOO_DISABLE_UPDATE: '1' };
const tools: readonly Tool[] = [
  { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
  { name: 'agent-replay', command: [process.execPath, BIN, '--version'] },
  { name: 'Vitest', command: [process.execPath, path.join(OWN_MODULES, 'vitest/vitest.mjs'), '--version'] },
  { name: 'promptfoo', command: bin('promptfoo/dist/src/entrypoint.js'), env },
].map((tool) => ({ cwd: import.meta.dirname, ...tool }));

const times = new Map(tools.map(({ name }) => [name, [] as number[]]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const tool of tools) {
    const { ms } = await measured(tool);
    if (round > 0) times.get(tool.name)?.push(ms);
  }
}
record('version', Object.fromEntries([...times].map(([name, all]) => [name, medianOf(all)])));
const limit = medianOf(times.get('node -e 0') ?? []);
console.log('| `--version` | ms | over bare Node |\n|---|---|---|');
for (const [name, all] of times) {
  console.log(`| ${name} | ${medianOf(all).toFixed(0)} | ${(medianOf(all) / limit).toFixed(2)} |`);
}
