import type { z } from 'zod';
import { AgentReplayError } from '../errors.ts';
import type { OptionValues } from './option-values.ts';

/** One line per mistake: the path of the setting, and what is wrong with it. */
export function mistakesIn(error: z.ZodError): string[] {
  return error.issues.flatMap((issue) => described(issue, []));
}

/**
 * Names mistakes in settings that came from an option after the option, because the file has no part in them.
 * @param error `CONFIG_INVALID`, with one mistake per line
 * @param nameOf the option that sets a setting
 */
export function blamingOptions(
  error: AgentReplayError,
  given: OptionValues,
  nameOf: (setting: string) => string | undefined,
): AgentReplayError {
  const blamed = error.evidence.map((mistake) => {
    const setting = [...given.keys()].find((key) => isOf(mistake, key));
    const name = setting === undefined ? undefined : nameOf(setting);
    return name === undefined ? undefined : `${name}: ${mistake.replace(`${setting}: `, '')}`;
  });
  if (blamed.every((mistake) => mistake === undefined)) return error;
  const isOfFile = blamed.includes(undefined);
  return new AgentReplayError(error.code, isOfFile ? error.message : 'Options are not valid.', {
    evidence: error.evidence.map((mistake, index) => blamed[index] ?? mistake),
    hint: isOfFile ? error.hint : 'Correct these options.',
    ...(isOfFile && { location: error.location }),
    cause: error,
  });
}

/** Whether the mistake is in the given setting, or in a table that exists only because that setting is inside it. */
function isOf(mistake: string, key: string): boolean {
  if (mistake.startsWith(`${key}: `) || mistake.startsWith(`${key}.`)) return true;
  return mistake.endsWith(NO_SUCH_SETTING) && key.startsWith(`${mistake.slice(0, -NO_SUCH_SETTING.length)}.`);
}

const NO_SUCH_SETTING = ': there is no such setting';

function described(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): string[] {
  const at = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${keyPath([...at, key])}${NO_SUCH_SETTING}`);
  }
  if (issue.code === 'invalid_union') {
    const meant = meantBranch(issue.errors);
    if (meant !== undefined) return meant.flatMap((inner) => described(inner, at));
  }
  return [`${keyPath(at)}: ${issue.message}`];
}

/**
 * Of a setting with several forms, the form that the user had begun: its mistake lies deeper, or is a wrong value and not a
 * wrong type.
 */
function meantBranch(branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const begun = branches.filter((issues) => issues.every(({ path }) => path.length > 0));
  const ofType = branches.filter((issues) => issues.every(({ code }) => code !== 'invalid_type'));
  return [begun, ofType].find(({ length }) => length === 1)?.[0];
}

function keyPath(path: readonly PropertyKey[]): string {
  return path.map(String).join('.') || 'the configuration';
}
