import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { readPipe } from '../../src/files/index.ts';
import { folderWith } from '../config/folder.ts';
import { PATIENCE_MS } from '../patience.ts';
import { BIN, start } from './command.ts';
import { pinOf } from './project.ts';

const PIN = 'replays/pinned.session.json';
const SPAN = {
  traceId: 'a'.repeat(32),
  spanId: 'a'.repeat(16),
  name: 'turn',
  startTimeUnixNano: '1700000000000000000',
  endTimeUnixNano: '1700000001000000000',
  attributes: Object.entries({
    'langfuse.observation.type': 'agent',
    'langfuse.observation.input': 'hi',
    'session.id': 'order',
  }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
};
const TRACES = JSON.stringify({
  resourceSpans: [{ scopeSpans: [{ spans: [SPAN] }] }],
});

/** A folder with traces and a pin, in which a shell runs commands of ours. */
async function folder() {
  const made = await folderWith({ 'traces.json': TRACES, [PIN]: JSON.stringify(pinOf('pinned', ['a'])) });
  const ours = `"${process.execPath}" "${BIN}"`;
  const shell = (line: string) =>
    execFileSync('bash', ['-c', line.replaceAll('ours', ours)], { cwd: made.path, encoding: 'utf8', stdio: 'pipe' });
  return { ...made, shell };
}

test.for([
  ['a process substitution', 'ours pin --dry-run --from <(cat traces.json)'],
  ['several of them', 'ours pin --dry-run --from <(cat traces.json) <(sleep 0.1; cat traces.json)'],
  ['the standard input', 'cat traces.json | ours pin --dry-run --from /dev/stdin'],
  [
    'a FIFO, which is written to later',
    'mkfifo fifo && { cat traces.json > fifo & } && ours pin --dry-run --from fifo',
  ],
] as const)('fault 120: an export is read from %s', async ([, line]) => {
  await using it = await folder();
  expect(it.shell(line)).toContain('replays/order.session.json: 1 turn');
});

test('fault 120: SIGINT ends pin while it waits for a pipe', async () => {
  await using it = await folder();
  it.shell('mkfifo fifo');
  const running = start(['pin', '--from', 'fifo'], { cwd: it.path });
  // It can be opened without waiting as soon as somebody reads from it.
  await using writer = await vi.waitFor(
    () => open(path.join(it.path, 'fifo'), constants.O_WRONLY | constants.O_NONBLOCK),
    { timeout: PATIENCE_MS, interval: 10 },
  );
  await writer.write('{"resourceSpans":');
  running.child.kill('SIGINT');
  expect(await running.finished).toMatchObject({ code: 130, signal: null });
});

test('fault 120: no more is read from a pipe than the limit of files', async () => {
  await using it = await folder();
  it.shell('mkfifo fifo');
  const file = path.join(it.path, 'fifo');
  const text = readPipe(file, { maxBytes: 2 ** 20 });
  await using writer = await open(file, 'w');
  const written = writer.writeFile(Buffer.alloc(4 * 2 ** 20));
  await expect(text).rejects.toMatchObject({ code: 'larger than 1 MiB' });
  await expect(written).rejects.toMatchObject({ code: 'EPIPE' });
});
