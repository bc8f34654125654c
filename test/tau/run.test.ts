import { test } from 'vitest';
import { checkReplay } from './replay.ts';

test('replayed over HTTP with real tracing, four tasks part where the table says, and cluster as it says', () =>
  checkReplay((task) => task < 4));
