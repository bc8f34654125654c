import { posix } from 'node:path';
import { AgentReplayError } from '../errors.ts';

/** With more wildcards, a backtracking matcher takes minutes on a hostile file name. */
const MAX_WILDCARDS_PER_NAME = 3;
const MAX_PATTERN_CHARS = 1_000;
/** Braces multiply. This limit keeps a pattern below about a thousand expansions. */
const MAX_BRACES = 3;
const MAX_ALTERNATIVES = 30;

export function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

/** @throws AgentReplayError `USAGE` for a pattern that could explode or hang */
export function checkPattern(pattern: string): void {
  const refuse = (why: string): never => {
    throw new AgentReplayError('USAGE', `The pattern "${pattern.slice(0, 200)}" ${why}.`, {
      hint: 'Use a plain pattern such as replays/**/*.session.json, or several.',
    });
  };
  if (pattern.length > MAX_PATTERN_CHARS) refuse(`is longer than ${MAX_PATTERN_CHARS} characters`);
  if (/[?*+@!]\(/.test(pattern)) refuse('uses an extended group such as +(a|b)');
  if (/\{[^{}]*\.\./.test(pattern)) refuse('uses a range such as {1..9}');
  const braces = pattern.match(/\{/g)?.length ?? 0;
  const alternatives = pattern.match(/,/g)?.length ?? 0;
  if (braces > MAX_BRACES || (braces > 0 && alternatives > MAX_ALTERNATIVES)) {
    refuse(`has more than ${MAX_BRACES} groups or ${MAX_ALTERNATIVES} alternatives in braces`);
  }
  const names = pattern.split('/').filter((name) => name !== '**');
  if (names.some((name) => (name.match(/\*+/g)?.length ?? 0) > MAX_WILDCARDS_PER_NAME)) {
    refuse(`has more than ${MAX_WILDCARDS_PER_NAME} wildcards in one name`);
  }
  if (pattern.split('/').filter((name) => name === '**').length > MAX_WILDCARDS_PER_NAME) {
    refuse(`has ** more than ${MAX_WILDCARDS_PER_NAME} times`);
  }
}

/**
 * Whether a pattern matches a path, both relative to the same folder.
 * @param path with forward slashes
 */
export function matchesPattern(pattern: string, path: string): boolean {
  const plain = posix.normalize(pattern);
  // A name may look like a pattern.
  return plain === path || posix.matchesGlob(path, plain);
}
