import type { z } from 'zod';

/** Each mistake in one line: the path of the setting, and what is wrong with it. */
export function mistakesIn(error: z.ZodError): string[] {
  return error.issues.flatMap((issue) => described(issue, []));
}

function described(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): string[] {
  const at = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${shown([...at, key])}: there is no such setting`);
  }
  if (issue.code === 'invalid_union') {
    const meant = meantBranch(issue.errors);
    if (meant !== undefined) return meant.flatMap((inner) => described(inner, at));
  }
  return [`${shown(at)}: ${issue.message}`];
}

/** Of a setting that can be written in several ways, the one that the user had begun: the mistake is inside, or of value. */
function meantBranch(branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const begun = branches.filter((issues) => issues.every(({ path }) => path.length > 0));
  const ofType = branches.filter((issues) => issues.every(({ code }) => code !== 'invalid_type'));
  return [begun, ofType].find(({ length }) => length === 1)?.[0];
}

function shown(path: readonly PropertyKey[]): string {
  return path.map(String).join('.') || 'the configuration';
}
