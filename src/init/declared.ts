import path from 'node:path';
import { readTextFile } from '../files/index.ts';
import { isJsonObject, type Json, jsonIn, own } from '../json/index.ts';
import type { PlannedFile } from './planned-file.ts';
import type { Project } from './project.ts';

/**
 * The packages that edits import, as lines of package.json and of npm's lock file: one that only another package has brought
 * goes with that one, and some package managers do not let it be imported at all.
 */
export async function declaredBy(edits: readonly PlannedFile[], project: Project): Promise<PlannedFile[]> {
  const { root, dependencies } = project;
  const names = new Set(edits.flatMap(importedIn).filter((name) => name !== 'agent-replay' && !dependencies.has(name)));
  const versions: Record<string, Json> = {};
  for (const name of [...names].sort()) {
    const installed = await jsonObjectOf(path.join(root, 'node_modules', name, 'package.json'));
    if (installed?.version !== undefined) versions[name] = installed.version;
  }
  if (Object.keys(versions).length === 0) return [];
  const purpose = `${Object.keys(versions).join(' and ')} is imported`;
  const files = ['package.json', 'package-lock.json'].map(async (file) => {
    const text = await textOf(path.join(root, file));
    const whole = jsonIn(text);
    const packages = isJsonObject(whole) ? own(whole, 'packages') : undefined;
    const holder = file === 'package.json' ? whole : isJsonObject(packages) ? own(packages, '') : undefined;
    if (!isJsonObject(holder)) return [];
    const all = { ...(holder.dependencies as object | undefined), ...versions };
    Object.assign(holder, { dependencies: Object.fromEntries(Object.entries(all).sort()) });
    const content = `${JSON.stringify(whole, null, /^[\t ]+/m.exec(text)?.[0])}\n`;
    return [{ path: file, purpose, content, replaces: text }];
  });
  return (await Promise.all(files)).flat();
}

/** Packages that a file is to import and does not yet. */
function importedIn({ content, replaces = '' }: PlannedFile): string[] {
  const lines = new Set(replaces.split('\n'));
  const added = content.split('\n').filter((line) => !lines.has(line));
  return added.flatMap((line) => /(?: from |= require\()['"]((?:@[\w.-]+\/)?\w[\w.-]*)/.exec(line)?.[1] ?? []);
}

async function jsonObjectOf(file: string) {
  const value = jsonIn(await textOf(file));
  return isJsonObject(value) ? value : undefined;
}

function textOf(file: string): Promise<string> {
  return readTextFile(file).catch(() => '');
}
