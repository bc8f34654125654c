import path from 'node:path';
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import { readTextFile } from '../files/index.ts';
import { isJsonObject, type Json, jsonIn } from '../json/index.ts';
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
    const installed = jsonIn(await textOf(path.join(root, 'node_modules', name, 'package.json')));
    if (isJsonObject(installed) && installed.version !== undefined) versions[name] = installed.version;
  }
  if (Object.keys(versions).length === 0) return [];
  const purpose = `${Object.keys(versions).join(' and ')} is imported`;
  const files = [['package.json'], ['package-lock.json', 'packages', '']].map(async ([file = '', ...holder]) => {
    const replaces = await textOf(path.join(root, file));
    const tree = parseTree(replaces);
    if (tree === undefined || findNodeAtLocation(tree, holder)?.type !== 'object') return [];
    const isThere = findNodeAtLocation(tree, [...holder, 'dependencies']) !== undefined;
    const [indent] = /^[\t ]+/m.exec(replaces) ?? [];
    // What stands on one line stays there.
    const formattingOptions = indent && {
      insertSpaces: indent.startsWith(' '),
      tabSize: indent.length,
      eol: replaces.includes('\r\n') ? '\r\n' : '\n',
    };
    const content = Object.entries(versions).reduce((text, [name, version]) => {
      // In the order of npm, as far as the others are.
      const getInsertionIndex = (names: string[]) =>
        isThere ? names.filter((other) => other < name).length : names.length;
      const place = [...holder, 'dependencies', name];
      return applyEdits(
        text,
        modify(text, place, version, { ...(formattingOptions && { formattingOptions }), getInsertionIndex }),
      );
    }, replaces);
    return [{ path: file, purpose, content, replaces }];
  });
  return (await Promise.all(files)).flat();
}

/** Packages that a file is to import and does not yet. */
function importedIn({ content, replaces = '' }: PlannedFile): string[] {
  const lines = new Set(replaces.split('\n'));
  const added = content.split('\n').filter((line) => !lines.has(line));
  return added.flatMap((line) => /(?: from |= require\()['"]((?:@[\w.-]+\/)?\w[\w.-]*)/.exec(line)?.[1] ?? []);
}

function textOf(file: string): Promise<string> {
  return readTextFile(file).catch(() => '');
}
