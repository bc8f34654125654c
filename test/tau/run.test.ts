import { test } from 'vitest';
import { checkReplay } from './replay.ts';

test('replayed over HTTP with real tracing, twelve tasks part where the table says, and cluster as it says', () =>
  checkReplay((task) => task < 12));
