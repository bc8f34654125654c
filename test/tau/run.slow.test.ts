import { test } from 'vitest';
import { checkReplay } from './replay.ts';

test('replayed over HTTP with real tracing, all 50 tasks part where the table says, and cluster as it says', () =>
  checkReplay(() => true));
