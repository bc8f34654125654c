import path from 'node:path';
import { readTextFile } from '../files/index.ts';
import { isJsonObject, jsonIn } from '../json/index.ts';
import type { PlannedFile } from './planned-file.ts';
import type { Project } from './project.ts';

const ADD = { npm: 'npm i', pnpm: 'pnpm add', yarn: 'yarn add', bun: 'bun add' } as const;

/** How packages are added to a project. */
export function commandToAdd(manager: NonNullable<Project['packageManager']>, ...packages: readonly string[]): string {
  return `${ADD[manager]} ${packages.join(' ')}`;
}

/**
 * The command that adds what edits import and package.json does not name: what only another package has brought goes with that one,
 * and some package managers do not let it be imported at all.
 */
export async function lackingFor(edits: readonly PlannedFile[], project: Project): Promise<string | undefined> {
  const { root, dependencies, packageManager } = project;
  const names = new Set(edits.flatMap(importedIn).filter((name) => name !== 'agent-replay' && !dependencies.has(name)));
  const packages = [...names].sort().map(async (name) => {
    const file = path.join(root, 'node_modules', name, 'package.json');
    const installed = jsonIn(await readTextFile(file).catch(() => ''));
    return isJsonObject(installed) && installed.version !== undefined ? `${name}@${installed.version}` : name;
  });
  return names.size === 0 || packageManager === undefined
    ? undefined
    : commandToAdd(packageManager, ...(await Promise.all(packages)));
}

/** Packages that a file is to import and does not yet. */
function importedIn({ content, replaces = '' }: PlannedFile): string[] {
  const lines = new Set(replaces.split('\n'));
  const added = content.split('\n').filter((line) => !lines.has(line));
  return added.flatMap((line) => /(?: from |= require\()['"]((?:@[\w.-]+\/)?\w[\w.-]*)/.exec(line)?.[1] ?? []);
}
