import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Project } from './project.ts';

export interface PlannedFile {
  /** Relative to the project's root. */
  readonly path: string;
  readonly content: string;
  /** One line for people. */
  readonly purpose: string;
  /** For a file of the user's of which a part is rewritten: its present content. Any other existing file is kept. */
  readonly replaces?: string;
  /** The part that is rewritten. */
  readonly shown?: string;
  /** A folder that is copied whole, including this file; users are shown only its name. */
  readonly folder?: string;
}

/** A file of that name among the project's own; in TypeScript that compilers and loaders convert, an ordinary one. */
export function sourcePath(project: Project, name: string): string {
  const ending = project.isTypeScript && !project.importsTypeScript ? 'ts' : moduleEnding(project);
  return path.posix.join(sourceFolder(project), `${name}.${ending}`);
}

/** How another file imports it: Node.js needs the extension that it has at run time. */
export function importedAs(file: string, { isTypeScript, importsTypeScript }: Project): string {
  const name = path.posix.basename(file);
  return `./${isTypeScript && !importsTypeScript ? name.replace(/tsx?$/, 'js') : name}`;
}

/** An extension that always means module avoids warnings. */
export function moduleEnding({ isTypeScript, isModule }: Project): string {
  const ending = isTypeScript ? 'ts' : 'js';
  return isModule ? ending : `m${ending}`;
}

/** Next.js with an `app` at the root reads no routes under `src`. */
export function sourceFolder({ root, framework }: Project): 'src/mastra' | 'src' | '.' {
  const has = (folder: string) => existsSync(path.join(root, folder));
  if (framework === 'mastra') return 'src/mastra';
  return has('src') && !(framework === 'next' && (has('app') || has('pages'))) ? 'src' : '.';
}

/** A copy of another version is replaced. */
export function copiedFolder(
  folder: string,
  contents: Readonly<Record<string, string>>,
  { root, purpose }: { readonly root: string; readonly purpose: string },
): PlannedFile[] {
  return Object.entries(contents).map(([file, content]) => {
    const copy = path.posix.join(folder, file);
    const target = path.join(root, copy);
    const replaces = existsSync(target) ? { replaces: readFileSync(target, 'utf8') } : {};
    return { path: copy, purpose, content, folder: path.posix.join(folder, '/'), ...replaces };
  });
}
