import path from 'node:path';
import { expect, test } from 'vitest';
import type { Step } from '../../src/compare/shapes/step.ts';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import {
  exportedBy,
  fromPhoenix,
  type Golden,
  HAND_WRITTEN,
  ingested,
  PIN_FILES,
  PLATFORM_READS,
  pinned,
  readFrom,
  SENDERS,
  STEPS,
  writtenByHand,
} from './goldens.ts';

/** The steps as a person would write them down, one a line. */
function written(steps: readonly Step[]): string {
  return steps
    .map(({ kind, name, value }) => `${[kind, name, JSON.stringify(value)].filter(Boolean).join(' ')}\n`)
    .join('');
}

async function expectSteps(goldens: readonly Golden[]): Promise<void> {
  for (const { name, recording } of goldens) {
    await expect(written(trajectoryOf(recording).steps)).toMatchFileSnapshot(path.join(STEPS, `${name}.steps.txt`));
  }
}

test.each(SENDERS)('exported by %s', async (sender) => {
  await expectSteps([exportedBy(sender)]);
});

test('sent by the legacy SDK', async () => {
  await expectSteps(await ingested());
});

test.each(PLATFORM_READS)('read from a platform: %s', async (file) => {
  await expectSteps(readFrom(file));
});

test('read from Phoenix', async () => {
  await expectSteps([fromPhoenix()]);
});

test.each(PIN_FILES)('pinned: %s', async (file) => {
  await expectSteps(pinned(file));
});

test.each(HAND_WRITTEN)('written by hand: %s', async (file) => {
  await expectSteps([writtenByHand(file)]);
});
