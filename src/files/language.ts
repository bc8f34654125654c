import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from './file.ts';

/** The language of an agent, which decides what is called how. */
export type Language = 'javascript' | 'python';

export type InLanguages = string | Readonly<Record<Language, string>>;

/** Files in the root of a project in Python. */
const PYTHON = /^(?:pyproject\.toml|requirements\.txt|setup\.py|Pipfile|uv\.lock|\w+\.py)$/;

/** @param language if it is not known, the text names both */
export function inLanguage(language: Language | undefined, text: InLanguages): string {
  if (typeof text === 'string') return text;
  return language === undefined ? `${text.javascript} In Python: ${text.python}` : text[language];
}

/** The language of the project in a folder, as far as its files say. */
export async function languageOf(folder: string): Promise<Language | undefined> {
  const manifest = await readTextFile(path.join(folder, 'package.json'))
    .then(JSON.parse)
    .catch(() => undefined);
  return languageAmong(await readdir(folder).catch(() => []), manifest);
}

/**
 * @param files names of the files in the root of a project
 * @param manifest its package.json. Beside files of Python, one without a server in it is there for agent-replay alone
 */
export function languageAmong(files: readonly string[], manifest: unknown): Language | undefined {
  const { scripts, dependencies } = Object(manifest) as { scripts?: unknown; dependencies?: unknown };
  const { start, dev } = Object(scripts) as { start?: unknown; dev?: unknown };
  const others = Object.keys(Object(dependencies)).filter((name) => name !== 'agent-replay');
  if (others.length > 0 || typeof start === 'string' || typeof dev === 'string') return 'javascript';
  if (files.some((file) => PYTHON.test(file))) return 'python';
  return manifest === undefined ? undefined : 'javascript';
}
