import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { startAgent } from '../../src/agent/index.ts';
import { AgentOutput, echoLine } from '../../src/agent/output.ts';
import fc from '../fast-check.ts';
import { freePort, run } from './processes.ts';

/** Text in which everything that matters to a log comes up often. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom('#', '##', '[', '##[', '::', '::error::', '\r', '\n', '\r\n', '\t', '\0', '\x1b', '\x1b[31m'),
      fc.constantFrom('\x1b]8;;http://x\x07', '\x7f', '\x85', '\x9b31m', 'é', '👍', 'x'.repeat(5_000)),
      fc.string({ unit: 'binary' }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

async function linesOf(chunks: readonly (string | Buffer)[]): Promise<string[]> {
  const readable = new PassThrough();
  const output = new AgentOutput({ stdout: { readable } });
  for (const chunk of chunks) readable.write(chunk);
  readable.end();
  await output.ended;
  return output.tail(Number.POSITIVE_INFINITY);
}

/** What is still referenced, after a full collection. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('fault 64: no text becomes a log command, a control sequence or an endless line when echoed', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      for (const line of echoLine(text).split(/\r\n|\n|\r/)) {
        expect(line.startsWith('agent| ')).toBe(true);
        expect(line).not.toContain('##[');
        expect(line).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
        expect(Buffer.byteLength(line)).toBeLessThan(4 * 1024 * 2);
      }
    }),
  );
});

test('fault 87: what turns a line around or hides in it is written out', () => {
  expect(echoLine('pay \u202eten\u2066 to \u200bann')).toBe('agent| pay \\u202eten\\u2066 to \\u200bann');
});

test('harmless text is echoed unchanged but for the prefix, line by line', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom(...'aé👍 \t|`<@#:') })), (lines) => {
      const expected = lines.length === 0 ? ['agent| '] : lines.map((line) => `agent| ${line}`);
      expect(echoLine(lines.join('\n')).split('\n')).toEqual(expected);
    }),
  );
});

test('a line longer than 4 KiB is cut at a whole character and marked', () => {
  expect(echoLine('é'.repeat(4_096))).toBe(`agent| ${'é'.repeat(2_048)}…`);
});

test('output gives the same lines however it is cut into chunks', async () => {
  const text = fc.array(fc.constantFrom('a', 'é', '👍', '\r', '\n', '\r\n')).map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 5 }), async (whole, size) => {
      const bytes = Buffer.from(whole);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const lines = whole.split(/\r\n|\n|\r/);
      if (lines.at(-1) === '') lines.pop();
      expect(await linesOf(chunks)).toEqual(lines);
    }),
  );
});

test('the tail keeps the last lines of each stream, in the order in which they came', async () => {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const output = new AgentOutput({ stdout: { readable: streams.stdout }, stderr: { readable: streams.stderr } });
  streams.stderr.end('the reason\n');
  await expect.poll(() => output.tail(1)).toEqual(['the reason']);
  streams.stdout.end(Array.from({ length: 10_000 }, (_, i) => `noise ${i}\n`).join(''));
  await output.ended;
  expect(output.tail(2)).toEqual(['noise 9998', 'noise 9999']);
  expect(output.tail(5, 'stderr')).toEqual(['the reason']);
  expect(output.tail(10_000).length).toBeLessThan(1_000);
  expect(output.tail(10_000)[0]).toBe('the reason');
});

test('a flood is read to its end in bounded memory, and echoed up to a limit', async () => {
  const port = await freePort();
  const echoed: string[] = [];
  const before = heldBytes();
  await using agent = await startAgent(
    { command: run('floods-output.js'), url: `http://127.0.0.1:${port}`, env: { PORT: `${port}` }, stdout: 'pipe' },
    { log: (line, stream) => stream === 'stdout' && echoed.push(line) },
  );
  await expect.poll(() => agent.output.tail(5, 'stdout')).toContainEqual(expect.stringMatching(/^listening/));
  expect(echoed.length).toBe(10_001);
  expect(echoed.at(-1)).toContain('no more than 10000 lines');
  // 40 MB were printed.
  expect(heldBytes() - before).toBeLessThan(20 * 1024 ** 2);
});

test('an ignored stream is not echoed, and its last lines are kept', async () => {
  const port = await freePort();
  const echoed: string[] = [];
  await using agent = await startAgent(
    { command: `echo warned >&2; ${run('serves.js')}`, url: `http://127.0.0.1:${port}`, env: { PORT: `${port}` } },
    { log: (line) => echoed.push(line) },
  );
  await expect.poll(() => agent.output.tail(5, 'stdout')).toContainEqual(expect.stringMatching(/^listening/));
  expect(echoed).toEqual(['agent| warned']);
});
