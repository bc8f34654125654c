import { z } from 'zod';
import type { Step } from './event.ts';
import { GitHub } from './github.ts';

const changed = z.object({
  filename: z.string(),
  status: z.string(),
  /** Hunks of a unified diff; missing for large and binary files. */
  patch: z.string().optional(),
});

/** What a pull request changes. */
export class Change {
  readonly #files: readonly z.infer<typeof changed>[];

  constructor(files: readonly z.infer<typeof changed>[] = []) {
    this.#files = files;
  }

  /** @param file from the root of the repository */
  touches(file: string): boolean {
    return this.#files.some(({ filename }) => filename === file);
  }

  /** Whether a line stands in the diff, with what the diff shows around it. @param file from the root of the repository */
  shows(file: string, line: number): boolean {
    const patch = this.#files.find(({ filename }) => filename === file)?.patch ?? '';
    return [...patch.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].some(
      ([, from, count = '1']) => line >= Number(from) && line < Number(from) + Number(count),
    );
  }

  /** `2 recorded again, 1 removed`; empty if no pin changes, so that a check that is green by new recordings is seen. */
  get pins(): string {
    const of = Map.groupBy(
      this.#files.filter(({ filename }) => filename.endsWith('.session.json')),
      ({ status }) => WORDS[status] ?? 'recorded again',
    );
    return [...of].map(([word, files]) => `${files.length} ${word}`).join(', ');
  }
}

const WORDS: Readonly<Record<string, string>> = { added: 'new', removed: 'removed', renamed: 'renamed' };

/** Undefined where there is no pull request, for a fork, and where GitHub does not say. */
export async function changeOf({ pull, inputs: { token }, signal }: Step): Promise<Change | undefined> {
  if (pull === undefined || pull.isFork || token === undefined) return undefined;
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
  const github = new GitHub({ repository: pull.repository, token, signal });
  const files = await github.list(route, { pull_number: pull.number }, changed).catch(() => undefined);
  return files && new Change(files);
}
