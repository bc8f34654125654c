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

/** Of a setting that can be written in several ways, the way that the user had begun: it fails deepest. */
function meantBranch(branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const isOfKind = (issues: readonly z.core.$ZodIssue[]) =>
    issues.every(({ code, path }) => path.length > 0 || code !== 'invalid_type');
  const candidates = branches.filter(isOfKind);
  return candidates.length === 1 ? candidates[0] : undefined;
}

function shown(path: readonly PropertyKey[]): string {
  return path.map(String).join('.') || 'the configuration';
}
