import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { IN_VAIN_MS } from '../patience.ts';
import { COLUMNS, hasTerminal, onTerminal } from './on-terminal.ts';
import { projectWith } from './project.ts';

const CLEAR_LINE = '\r\u001b[2K';

test('on a terminal a live line tells how far the run is, keeps to the width, and is gone in the end', async ({
  skip,
}) => {
  skip(!hasTerminal, 'a pseudo-terminal takes util-linux script');
  await using project = await projectWith({
    sessions: { one: 'a', two: 'untraced' },
    config: { runs: 4, workers: 1, timeouts: { trace: IN_VAIN_MS } },
  });
  const { shown } = await onTerminal(['run'], project.path);
  const drawn = shown.split(CLEAR_LINE);
  const lines = drawn.map((part) => part.split('\n')[0] as string).filter((line) => line.includes('/8 replays'));
  expect(lines).toContainEqual(
    expect.stringMatching(/^1\/2 sessions, [4-7]\/8 replays, [1-4] waiting for traces, about \d+ s left$/),
  );
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(COLUMNS);
  // Nothing of it is left before the table, which has colours here.
  const rest = drawn.at(-1) as string;
  expect(stripVTControlCharacters(rest)).toMatch(/^\? error: could not tell in 1 of 2 sessions, 1 as recorded\n/);
  expect(rest).not.toBe(stripVTControlCharacters(rest));
  // Lines of the agent are whole lines of their own.
  expect(drawn.filter((part) => /^agent\| asked: a\n/.test(part)).length).toBeGreaterThan(0);
});
