import type { Project } from './project.ts';

export interface PlannedFile {
  /** From the project's root. */
  readonly path: string;
  readonly content: string;
  /** One line for people. */
  readonly purpose: string;
}

/** Of a file that is a module, whatever package.json says of others: endings that are modules everywhere warn nobody. */
export function moduleEnding({ isTypeScript, isModule }: Pick<Project, 'isTypeScript' | 'isModule'>): string {
  const ending = isTypeScript ? 'ts' : 'js';
  return isModule ? ending : `m${ending}`;
}
