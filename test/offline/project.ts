import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { command } from '../cli/command.ts';
import { folderWith, type TemporaryFolder } from '../config/folder.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/** A text of a file, and what stands there afterwards. */
export type Edit = readonly [file: string, from: string, to: string];

interface Project {
  readonly start?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Further settings. */
  readonly config?: object;
}

export const KEY = 'sk-of-nobody-0123456789';
/** Nobody listens there. */
export const NOWHERE = 'http://127.0.0.1:9/v1';

/** A copy of an example with its pins, and with a model that cannot be reached. */
export async function copyOf(
  example: string,
  { start = `"${process.execPath}" server.ts`, env = {}, config = {} }: Project = {},
) {
  const folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({
      agent: {
        command: start,
        url: 'http://127.0.0.1:{port}/replay',
        watch: ['*.ts', 'prompts/*'],
        env: { MODEL_BASE_URL: NOWHERE, OPENAI_API_KEY: KEY, ...env },
      },
      fork: { baseUrls: ['MODEL_BASE_URL'] },
      ...config,
    }),
  });
  await cp(path.join(ROOT, 'examples', example), folder.path, {
    recursive: true,
    filter: (source) => !/\/examples\/.*(?:node_modules|\.config\.ts)$/.test(source),
  });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder.path, 'node_modules'));
  return editable(folder);
}

/** A copy of an installed project, as it is. */
export async function copyOfProject(source: string, env: Readonly<Record<string, string>>) {
  const folder = await folderWith({});
  const filter = (file: string) => !/node_modules|\.agent-replay$/.test(file.slice(source.length));
  await cp(source, folder.path, { recursive: true, filter });
  await symlink(path.join(source, 'node_modules'), path.join(folder.path, 'node_modules'));
  return editable(folder, env);
}

function editable(folder: TemporaryFolder, env: Readonly<Record<string, string>> = {}) {
  const edit = (change: Edit) => edited(folder.path, change);
  const call = (...args: readonly string[]) => command(args, { cwd: folder.path, env });
  return { ...folder, edit, call };
}

export async function edited(folder: string, [file, from, to]: Edit): Promise<void> {
  const place = path.join(folder, file);
  const text = await readFile(place, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
  await writeFile(
    place,
    text.replaceAll(from, () => to),
  );
}
