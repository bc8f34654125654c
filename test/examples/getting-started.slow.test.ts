import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { PACKAGE } from '../../src/init/index.ts';
import { freePort } from '../agent/processes.ts';
import { folderWith } from '../config/folder.ts';

const CHECKOUT = path.join(import.meta.dirname, '../..');
const PAGE = readFileSync(path.join(CHECKOUT, 'docs/getting-started.md'), 'utf8');

/** What the page has its reader do, in order: run commands, write a file; or what it promises is printed. */
type Step = {
  readonly kind: 'commands' | 'install' | 'printed' | 'file';
  readonly text: string;
  readonly file: string;
};

function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/^```(\w*) ?(\S*)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, language, file = '', text = '']): Step[] => {
    if (language !== 'sh') return [{ kind: file === '' ? 'printed' : 'file', text, file }];
    const parts = text.split(/^(npm install .+\n)/m).filter((part) => part !== '');
    return parts.map((part) => ({ kind: part.startsWith('npm install') ? 'install' : 'commands', text: part, file }));
  });
}

/** Instead of the registry the checkout: a package is a link to the one that is installed here, in the version named. */
async function install(command: string, folder: string): Promise<void> {
  const specifiers = command
    .trim()
    .split(' ')
    .slice(2)
    .filter((word) => !word.startsWith('--'));
  const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  for (const specifier of specifiers) {
    const own = specifier === PACKAGE;
    const [name, version] = own
      ? ['agent-replay', undefined]
      : (specifier.split(/(?<=.)@/) as [string, string | undefined]);
    const target = own ? CHECKOUT : path.join(CHECKOUT, 'node_modules', name);
    const installed = JSON.parse(await readFile(path.join(target, 'package.json'), 'utf8'));
    expect(version, `the version of ${name} that the page installs`).toBe(own ? undefined : installed.version);
    manifest.dependencies = { ...manifest.dependencies, [name]: installed.version };
    const link = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(target, link);
    if (!own) continue;
    await mkdir(path.join(folder, 'node_modules/.bin'));
    await symlink(path.join(CHECKOUT, installed.bin[name]), path.join(folder, 'node_modules/.bin', name));
  }
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
}

/** Two dozen processes, one after another. */
const TIMEOUT_MS = 120_000;

test(
  'docs/getting-started.md leads from an empty folder to a red run, command by command',
  async () => {
    await using folder = await folderWith({});
    const { PATH, HOME } = process.env;
    const agentPort = await freePort();
    const env = {
      PATH,
      HOME,
      npm_config_offline: 'true',
    };
    await using started = new AsyncDisposableStack();
    let cwd = folder.path;
    /** As in one terminal: where the last commands led, the next ones go on. */
    const terminal = async (commands: string): Promise<{ printed: string; code: number | null }> => {
      const where = path.join(folder.path, 'where');
      const bash = spawn('bash', ['-e', '-c', `trap 'pwd >${where}' EXIT\n${commands}`], {
        cwd,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      started.defer(() => endGroup(bash.pid as number));
      const [printed, [code]] = await Promise.all([text(bash.stdout), once(bash, 'close') as Promise<[number | null]>]);
      cwd = (await readFile(where, 'utf8')).trim();
      return { printed, code };
    };
    const done: { commands: string; printed: string; code: number | null }[] = [];
    for (const { kind, file, text } of stepsOf(PAGE)) {
      const own = text.replaceAll('3000', String(agentPort));
      const last = done.at(-1);
      if (kind === 'install') await install(text, cwd);
      else if (kind === 'file') await writeFile(path.join(cwd, file), own);
      else if (kind === 'printed') expect(last?.printed, last?.commands).toContain(own);
      else done.push({ commands: own, ...(await terminal(own)) });
    }
    expect(done.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 1]);
    expect(done[2]?.printed).toContain('1 with a warning');
  },
  TIMEOUT_MS,
);

/** What a block that broke off in the middle has left running. */
function endGroup(id: number): void {
  try {
    process.kill(-id, 'SIGKILL');
  } catch {
    // It has ended, as it should.
  }
}
