// Shows that a change of the code leaves the examples' results as they are: `npm run results -- before.json` writes the
// `results` of all of their reports, and `npm run results -- after.json before.json` compares them byte by byte.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const CONFIGS = ['', 'flaky', 'changed', 'live', 'shift', 'recorded'];

const [file, before] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: npm run results -- FILE [FILE OF BEFORE]');
const root = path.join(import.meta.dirname, '..');
const dir = await mkdtemp(path.join(tmpdir(), 'example-results-'));
const results: Record<string, unknown> = {};
for (const name of CONFIGS) {
  const config = name === '' ? 'agent-replay.config.ts' : `examples/support-agent/${name}.config.ts`;
  // One call at a time: what the model of the flaky one says depends on the order of the calls.
  const args = ['bin/agent-replay.js', 'run', '--config', config, '--workers', '1', '--reporter', 'json'];
  // Of a run that leaves no report, none of an earlier one stands here.
  await rm(path.join(dir, 'report.json'), { force: true });
  // Some of them fail, as they are meant to.
  await promisify(execFile)(process.execPath, [...args, '--output-dir', dir], { cwd: root }).catch(() => {});
  results[config] = JSON.parse(await readFile(path.join(dir, 'report.json'), 'utf8')).results;
}
await rm(dir, { recursive: true });
const text = `${JSON.stringify(results, null, 2)}\n`;
await writeFile(file, text);
if (before !== undefined && text !== (await readFile(before, 'utf8')))
  throw new Error(`${file} differs from ${before}`);
