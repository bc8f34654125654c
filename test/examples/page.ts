import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { PACKAGE } from '../../src/init/index.ts';

export const CHECKOUT = path.join(import.meta.dirname, '../..');

/** What a page has its reader do, in order: run commands, write a file; or what it promises is printed. */
export type Step = {
  readonly kind: 'commands' | 'install' | 'printed' | 'file';
  readonly text: string;
  readonly file: string;
};

/** The blocks of a page in docs/. */
export function stepsOf(page: string): Step[] {
  const blocks = [
    ...readFileSync(path.join(CHECKOUT, 'docs', page), 'utf8').matchAll(/^```(\w*) ?(\S*)\n([\s\S]*?)^```$/gm),
  ];
  return blocks.flatMap(([, language, file = '', text = '']): Step[] => {
    if (language !== 'sh') return [{ kind: file === '' ? 'printed' : 'file', text, file }];
    const parts = text.split(/^(npm install .+\n)/m).filter((part) => part !== '');
    return parts.map((part) => ({ kind: part.startsWith('npm install') ? 'install' : 'commands', text: part, file }));
  });
}

/** The package as it is published, in the folder that the page has it copied into. */
export async function packInto(folder: string): Promise<void> {
  await ended('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], CHECKOUT);
}

interface Manifest {
  dependencies?: Record<string, string>;
}

/**
 * Installs as npm does, without a registry: a package is a link to the one that is installed here, in the version named, and
 * our own is unpacked from its archive.
 */
export async function installLinked(command: string, folder: string): Promise<void> {
  const file = path.join(folder, 'package.json');
  const manifest: Manifest = JSON.parse(await readFile(file, 'utf8'));
  for (const word of command.trim().split(' ').slice(2)) {
    const [name = '', version = ''] =
      word === PACKAGE ? ['agent-replay', `file:${path.basename(word)}`] : word.split(/(?<=.)@/);
    manifest.dependencies = { ...manifest.dependencies, [name]: version };
  }
  await writeFile(file, JSON.stringify(manifest));
  const lock = { lockfileVersion: 3, packages: { '': { dependencies: manifest.dependencies } } };
  await writeFile(path.join(folder, 'package-lock.json'), JSON.stringify(lock));
  await installLocked(folder);
}

/** `npm ci`, with the same links. */
export async function installLocked(folder: string): Promise<void> {
  const lock = JSON.parse(await readFile(path.join(folder, 'package-lock.json'), 'utf8'));
  const { dependencies = {} }: Manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  expect(lock.packages[''].dependencies, 'npm ci refuses another lock file').toEqual(dependencies);
  for (const [name, version] of Object.entries(dependencies)) {
    const target = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(target), { recursive: true });
    if (!version.startsWith('file:')) {
      const own = path.join(CHECKOUT, 'node_modules', name);
      expect(version, `the version of ${name}`).toBe(
        JSON.parse(readFileSync(path.join(own, 'package.json'), 'utf8')).version,
      );
      await symlink(own, target).catch(isThere);
      continue;
    }
    await mkdir(target, { recursive: true });
    const archive = path.join(folder, version.slice('file:'.length));
    await ended('tar', ['-xzf', archive, '--strip-components=1'], target);
    const bins = path.join(folder, 'node_modules/.bin');
    await mkdir(bins, { recursive: true });
    await symlink(`../${name}/bin/agent-replay.js`, path.join(bins, name)).catch(isThere);
  }
}

/** Ignores that a link is there already. */
function isThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** Runs a program to its good end. */
export async function ended(command: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  expect((await once(child, 'close'))[0], `${command} ${args.join(' ')}`).toBe(0);
}

export interface Done {
  readonly commands: string;
  readonly printed: string;
  readonly code: number | null;
}

/** A terminal: where the last commands led, the next ones go on. */
export class Terminal {
  cwd: string;
  readonly #where: string;
  readonly #env: NodeJS.ProcessEnv;

  /** @param folder where it begins, and where it keeps its notes */
  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.cwd = folder;
    this.#where = path.join(folder, 'where');
    this.#env = env;
  }

  async run(commands: string): Promise<Done> {
    const bash = spawn('bash', ['-e', '-c', `trap 'pwd >${this.#where}' EXIT\n${commands}`], {
      cwd: this.cwd,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed, [code]] = await Promise.all([text(bash.stdout), once(bash, 'close') as Promise<[number | null]>]);
    this.cwd = (await readFile(this.#where, 'utf8')).trim();
    return { commands, printed, code };
  }
}

export interface WalkOptions {
  readonly install: (command: string, folder: string) => Promise<void>;
  /** What this machine has otherwise than the page: a port. */
  readonly change: (text: string) => string;
  /** After each block of commands. */
  readonly after: (done: Done) => Promise<void>;
}

/** Does what a page says, and nothing else. */
export async function walk(page: string, terminal: Terminal, options: WalkOptions): Promise<Done[]> {
  const done: Done[] = [];
  for (const { kind, file, text } of stepsOf(page)) {
    const own = options.change(text);
    const last = done.at(-1);
    if (kind === 'install') await options.install(text, terminal.cwd);
    else if (kind === 'file') await writeFile(path.join(terminal.cwd, file), own);
    else if (kind === 'printed') expect(last?.printed, last?.commands).toContain(own);
    else {
      done.push(await terminal.run(own));
      await options.after(done.at(-1) as Done);
    }
  }
  return done;
}
