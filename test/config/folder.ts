import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removed } from '../programs.ts';

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** A folder of its own with these files; removed when it is disposed of, with what still runs in it. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<TemporaryFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-replay-'));
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return { path: folder, [Symbol.asyncDispose]: () => removed(folder) };
}
