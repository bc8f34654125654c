import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { folderWith } from '../config/folder.ts';
import type { Project } from './project.ts';

/** A project in which something has happened already: that is done once for a file, and each test begins in a copy. */
export function sceneOf(make: () => Promise<Project>): () => Promise<Project> {
  let made: Promise<Project> | undefined;
  afterAll(async () => (await made)?.[Symbol.asyncDispose]());
  return async () => {
    made ??= make();
    return copyOf(await made);
  };
}

async function copyOf({ path: from, ...project }: Project): Promise<Project> {
  const copy = await folderWith({});
  await cp(from, copy.path, { recursive: true });
  const read = (file: string) => readFile(path.join(copy.path, file), 'utf8');
  return { ...project, ...copy, read, report: async () => parseReport(await read('.agent-replay/report.json')) };
}
