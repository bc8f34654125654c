import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { folderWith } from '../config/folder.ts';
import type { Project } from './project.ts';

/** Makes a project in which something has already happened. It is made once per file, and each test gets a copy. */
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
