import { RE2JS } from 're2js';
import { z } from 'zod';
import { AgentReplayError } from './errors.ts';

/** Nobody writes a longer pattern by hand. */
const MAX_CHARS = 500;

/** A user's regular expression. It takes linear time, whatever the pattern and the text. */
export interface LinearPattern {
  /** Whether it matches anywhere. */
  test(text: string): boolean;
  /** The text with each match replaced. */
  replace(text: string, replacement: (match: string) => string): string;
}

/**
 * Compiles a regular expression for RE2's engine, where patterns for which JavaScript's engine can take minutes
 * (`(\w+\s?)+@`) are linear. RE2 has no back references and no lookaround.
 * @param flags of a `RegExp`; only `i`, `m` and `s` matter here
 * @throws AgentReplayError `PATTERN_UNSUPPORTED` that names the pattern
 */
export function linearPattern(source: string, flags = ''): LinearPattern {
  const compiled = compile(source, flags);
  return {
    test: (text) => compiled.matcher(text).find(),
    replace(text, replacement) {
      const matcher = compiled.matcher(text);
      let [result, from] = ['', 0];
      while (matcher.find()) {
        const [start, end] = [matcher.start(), matcher.end()];
        result += text.slice(from, start) + replacement(text.slice(start, end));
        from = end;
      }
      return result + text.slice(from);
    },
  };
}

/** A regular expression as text, for {@link linearPattern}. */
export const pattern = z
  .string()
  .min(1)
  .max(MAX_CHARS)
  .check(({ value, issues }) => {
    const mistake = mistakeIn(value);
    if (mistake !== undefined) issues.push({ code: 'custom', message: mistake, input: value });
  });

/** Why a pattern cannot be used, for the list of mistakes in a configuration; undefined if it can. */
export function mistakeIn(source: string, flags = ''): string | undefined {
  try {
    linearPattern(source, flags);
    return undefined;
  } catch (error) {
    const { message, code } = error as AgentReplayError;
    return `${message} (${code})`;
  }
}

function compile(source: string, flags: string): RE2JS {
  const meaning =
    (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.includes('m') ? RE2JS.MULTILINE : 0) |
    (flags.includes('s') ? RE2JS.DOTALL : 0);
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), meaning);
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, '');
    throw new AgentReplayError(
      'PATTERN_UNSUPPORTED',
      `The pattern ${JSON.stringify(source)} cannot be used: ${reason}.`,
      {
        hint: 'Write it as an RE2 expression: without back references, and without looking ahead or behind.',
        cause: error,
      },
    );
  }
}
