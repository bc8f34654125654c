import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Project } from './project.ts';

export interface PlannedFile {
  /** From the project's root. */
  readonly path: string;
  readonly content: string;
  /** One line for people. */
  readonly purpose: string;
  /** Of a file of the user's in which a part is written anew: what it holds now. Any other file that is there is kept. */
  readonly replaces?: string;
  /** That part. */
  readonly shown?: string;
  /** The folder that is copied whole, this file with it: people are shown its name alone. */
  readonly folder?: string;
}

/** Of a file that is a module, whatever package.json says of others: endings that are modules everywhere warn nobody. */
export function moduleEnding({ isTypeScript, isModule }: Pick<Project, 'isTypeScript' | 'isModule'>): string {
  const ending = isTypeScript ? 'ts' : 'js';
  return isModule ? ending : `m${ending}`;
}

/** Next.js looks for routes beside the ones that are there: with an `app` at the root it reads none under `src`. */
export function sourceFolder({ root, framework }: Pick<Project, 'root' | 'framework'>): 'src/mastra' | 'src' | '.' {
  const has = (folder: string) => existsSync(path.join(root, folder));
  if (framework === 'mastra') return 'src/mastra';
  return has('src') && !(framework === 'next' && (has('app') || has('pages'))) ? 'src' : '.';
}
