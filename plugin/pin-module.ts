import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Config, Plan } from '../src/rims.ts';
import { safeText } from './safe.ts';
import type { PinnedFile } from './wire.ts';

/** A pin as a test file. */
export async function pinnedFile(file: string, plan: Plan, config: Config): Promise<PinnedFile> {
  const { toProblem } = await import('../src/rims.ts');
  const relative = path.relative(await realpath(config.root), await realpath(file)).replaceAll(path.sep, '/');
  const found = [...plan.sessions, ...plan.notReplayed].find(({ pin }) => pin.path === relative)?.pin;
  const { id, title, turns = [] } = found?.session ?? {};
  return {
    file,
    ...(id !== undefined && {
      session: {
        id,
        name: safeText(title === undefined ? id : `${id}: ${title}`),
        inSequence: config.context === 'sequence',
        turns: turns.map((_, index) => ({
          turn: index + 1,
          line: 1,
          column: 1,
          ...found?.locate?.(`/turns/${index}`),
        })),
      },
    }),
    problems: plan.problems.filter(({ location }) => location?.file === relative).map(toProblem),
  };
}

/** Code that is added to a pin's module, which also exports its JSON and each key by name. */
export function testsOf(pinned: PinnedFile): string {
  const name = '__agentReplayPinnedSession';
  return `\nimport { pinnedSession as ${name} } from ${JSON.stringify(sibling('pinned'))};\n${name}(${JSON.stringify(pinned)});\n`;
}

export async function isJson(file: string): Promise<boolean> {
  try {
    JSON.parse(await readFile(file, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

/** A file beside this one, before and after it is compiled. */
export function sibling(name: string): string {
  return path.join(import.meta.dirname, `${name}${path.extname(import.meta.filename)}`).replaceAll(path.sep, '/');
}
