import { existsSync } from 'node:fs';
import path from 'node:path';
import { askGit } from '../../checkout/index.ts';
import { foldersFrom, readTextFile } from '../../files/index.ts';
import { filesIn, inspectProject, LOCAL_FILES, repositoryOf } from '../../init/index.ts';
import { isJsonObject, type Json, jsonIn } from '../../json/index.ts';
import type { Workflow, WorkflowStep } from './workflow.ts';

/** What the jobs of a workflow meet on a machine that has only what is committed, up to the first call of the agent. */
export interface Walk {
  /** Files that they need and can be given, from the repository's root; of a folder, the folder. */
  readonly needs: readonly string[];
  /** Secrets that they are given, to be set where the repository is hosted. */
  readonly secrets: readonly string[];
  /** Why a job cannot start. */
  readonly obstacles: readonly string[];
  /** What may be missing. */
  readonly remarks: readonly string[];
}

/** What the configuration names. */
export interface Replayed {
  readonly agents: readonly StartedAgent[];
  /** The configuration itself, pins, and whatever else a run reads. */
  readonly files: readonly string[];
}

interface StartedAgent {
  /** Undefined if it runs elsewhere. */
  readonly command?: string;
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** @param cwd a folder of the repository */
export async function walkWorkflow(cwd: string, { file, jobs }: Workflow, replayed?: Replayed): Promise<Walk> {
  const { root } = repositoryOf(path.resolve(cwd));
  const walker = new Walker(root);
  walker.need(file);
  for (const { steps, isReplaying } of jobs) {
    walker.isCheckedOut = false;
    for (const step of steps) await walker.take(step);
    if (replayed !== undefined && isReplaying) await walker.startAgents(steps.at(-1) as WorkflowStep, replayed);
  }
  return walker.concluded(file);
}

/** How a package manager is asked for the locked versions, and the files with them. */
const LOCKS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bnpm ci\b/, ['package-lock.json', 'npm-shrinkwrap.json']],
  [/\bpnpm (?:i|install)\b/, ['pnpm-lock.yaml']],
  [/\byarn install\b.{0,200}--(?:immutable|frozen-lockfile)/, ['yarn.lock']],
  [/\bbun install\b.{0,200}--frozen-lockfile/, ['bun.lock', 'bun.lockb']],
  [/\buv sync\b/, ['uv.lock', 'pyproject.toml']],
  [/\bpoetry install\b/, ['pyproject.toml']],
];
const REQUIREMENTS = /\bpip3? install\b.*?\s-r\s+(\S+)/;

class Walker {
  isCheckedOut = false;
  readonly #root: string;
  /** Each with the way out if it is not there; by path. */
  readonly #needs = new Map<string, string>();
  /** The agent's own files: what is started, and what that imports. */
  readonly #sources = new Set<string>();
  /** What git ignores may be made by a step, or by the agent's command. */
  #isBuilt = false;
  readonly #secrets = new Set<string>();
  readonly #obstacles: string[] = [];
  readonly #remarks: string[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  need(file: string, wayOut = ''): void {
    if (!this.#needs.get(file)) this.#needs.set(file, wayOut);
  }

  async take({ uses, run, folder, secrets }: WorkflowStep): Promise<void> {
    for (const secret of secrets) this.#secrets.add(secret);
    if (uses !== undefined && /\/checkout@/.test(uses)) this.isCheckedOut = true;
    else if (uses?.startsWith('./')) await this.#useLocal(uses);
    if (run !== undefined) await this.#install(run, folder);
    this.#isBuilt ||= BUILDS.test(run ?? '');
  }

  async #useLocal(uses: string): Promise<void> {
    if (!this.isCheckedOut) this.#obstacles.push(`no step checks the repository out before ${uses} is used`);
    const own = path.posix.normalize(uses);
    const definition = ['action.yml', 'action.yaml'].map((name) => path.posix.join(own, name));
    const file = definition.find((name) => this.#has(name));
    if (file === undefined) {
      this.need(definition[0] as string, ': `npx agent-replay init` writes the action');
      return;
    }
    this.need(path.posix.join(own, '/'));
    for (const [, script = ''] of (await this.#text(file)).matchAll(/^ +(?:main|post): *["']?([^"'\s]+)/gm)) {
      this.need(path.posix.join(own, script));
    }
  }

  async #install(run: string, folder: string): Promise<void> {
    const at = (file: string) => path.posix.join(folder, file);
    const requirements = REQUIREMENTS.exec(run)?.[1];
    if (requirements !== undefined) this.need(at(requirements));
    const [, locks = []] = LOCKS.find(([command]) => command.test(run)) ?? [];
    if (locks.length === 0) return;
    this.need(at(locks.find((lock) => this.#has(at(lock))) ?? (locks[0] as string)));
    if (!/\b(?:npm|pnpm|yarn|bun)\b/.test(run)) return;
    this.need(at('package.json'));
    const manifest = await this.#json(at('package.json'));
    for (const [name, version] of dependenciesOf(manifest)) this.#takeDependency(name, version, folder);
  }

  #takeDependency(name: string, version: string, folder: string): void {
    const [, target] = /^(?:file|link|portal):(.+)$/.exec(version) ?? (/^\.\.?\//.test(version) ? ['', version] : []);
    if (target === undefined) return;
    const file = path.isAbsolute(target) ? '..' : path.posix.join(folder, target);
    if (file.startsWith('..'))
      this.#obstacles.push(
        `${name} is installed from ${target}, outside of the repository: install it from a copy in it`,
      );
    else this.need(file);
  }

  /** The agents of the configuration, as the last step starts them. */
  async startAgents(step: WorkflowStep, { agents, files }: Replayed): Promise<void> {
    const inRoot = (file: string) => path.relative(this.#root, file).split(path.sep).join('/');
    if (!this.#has(step.folder)) this.#obstacles.push(`the working-directory ${step.folder} is not there`);
    for (const file of files) this.need(inRoot(file));
    for (const { command, folder, env = {} } of agents) {
      if (command === undefined) continue;
      const at = (file: string) => inRoot(path.resolve(folder, file));
      const { script, build, python, localVariables } = await inspectProject(folder, { command });
      this.#isBuilt ||= build !== undefined || BUILDS.test(script);
      for (const file of [...filesIn(script), python?.app?.file ?? '']) await this.#follow(at(file));
      for (const [, given = ''] of script.matchAll(/--env-file[= ](\S+)/g)) {
        const file = at(given);
        this.need(file, `: start it with --env-file-if-exists=${given}`);
      }
      const given = new Set([...step.env, ...Object.keys(env), 'PORT']);
      const missing = localVariables.filter((name) => !given.has(name));
      const [local] = await this.#ignored(LOCAL_FILES.map(at));
      if (local !== undefined && missing.length > 0) {
        const names = [...new Set(missing)].join(', ');
        this.#remarks.push(`only ${local[0]} sets ${names}: give the step what the agent needs of it, under env`);
      }
    }
  }

  /** A source of the agent, and the files that it imports, one after another. */
  async #follow(file: string): Promise<void> {
    if (this.#sources.has(file) || this.#sources.size >= MAX_SOURCES || !SOURCE.test(file) || !this.#has(file)) return;
    this.#sources.add(file);
    for (const places of importsIn(file, await this.#text(file))) {
      await this.#follow(places.find((place) => SOURCE.test(place) && this.#has(place)) ?? '');
    }
  }

  async concluded(workflow: string): Promise<Walk> {
    const all = [...new Set([...this.#needs.keys(), ...this.#sources])];
    const ignored = await this.#ignored(all);
    const obstacles = all.flatMap((file) => {
      const rule = ignored.get(file);
      const wayOut = this.#needs.get(file) ?? '';
      if (this.#isBuilt && this.#sources.has(file)) return [];
      if (rule !== undefined) return [`git ignores ${file} (${rule}), so the job does not have it${wayOut}`];
      return this.#has(file) ? [] : [`${file} is not there${wayOut}`];
    });
    const there = all.filter((file) => this.#has(file) && !ignored.has(file));
    const tracked = await this.#tracked(there);
    const left = tracked.has(workflow) ? there.filter((file) => !tracked.has(file)) : [];
    const remarks = [...this.#remarks, ...(left.length > 0 ? [`not committed yet: ${listOf(left)}`] : [])];
    const fresh = there.filter((file) => this.#sources.has(file) && !tracked.has(file));
    const needs = [
      ...there.filter((file) => this.#needs.has(file)),
      ...(fresh.length > NAMED ? foldersOf(fresh) : fresh),
    ];
    return {
      needs: [...new Set(needs)],
      secrets: [...this.#secrets],
      obstacles: [...this.#obstacles, ...obstacles],
      remarks,
    };
  }

  #has(file: string): boolean {
    return existsSync(path.join(this.#root, file));
  }

  async #text(file: string): Promise<string> {
    return readTextFile(path.join(this.#root, file)).catch(() => '');
  }

  async #json(file: string): Promise<Json | undefined> {
    return jsonIn(await this.#text(file));
  }

  /** Files that git ignores, with the rule; none without a repository. */
  async #ignored(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const said = await this.#git(['check-ignore', '-v', '--'], files);
    const rules = said.split('\n').flatMap((line) => {
      const at = line.lastIndexOf('\t');
      const [rule, file] = [line.slice(0, Math.max(0, at)), line.slice(at + 1)];
      // A pattern that begins with ! takes a file back.
      return !/:\d+:/.test(rule) || /:\d+:!/.test(rule) ? [] : [[file, rule] as const];
    });
    return new Map(rules);
  }

  async #tracked(files: readonly string[]): Promise<ReadonlySet<string>> {
    const said = await this.#git(['ls-files', '-z', '--'], files);
    const tracked = said.split('\0');
    return new Set(
      files.filter((file) => tracked.some((one) => one === file || (file.endsWith('/') && one.startsWith(file)))),
    );
  }

  async #git(args: readonly string[], files: readonly string[]): Promise<string> {
    const own = files.filter((file) => !file.startsWith('..'));
    return (await askGit(['-c', 'core.quotePath=false', ...args, ...own], { cwd: this.#root })) ?? '';
  }
}

function listOf(files: readonly string[]): string {
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : '';
  return `${files.slice(0, NAMED).join(', ')}${more}`;
}

const NAMED = 5;

/** What steps, scripts and commands are called that make files. */
const BUILDS = /\b(?:build|generate|compile|tsc)\b/;
const MAX_SOURCES = 1_000;
const SOURCE = /\.(?:[cm]?[jt]sx?|py)$/;

/** The folders with the files in them, and files of the root by themselves. */
function foldersOf(files: readonly string[]): string[] {
  return files.map((file) => (file.includes('/') ? `${path.posix.dirname(file)}/` : file));
}

/** Where each file may be that a source imports: by a relative path, in Python also by a module's name, beside it or above. */
function importsIn(file: string, text: string): string[][] {
  const beside = path.posix.dirname(file);
  if (file.endsWith('.py')) {
    return [...text.matchAll(/^[ \t]*(?:from|import)[ \t]+(\.*)([\w.]+)/gm)].map(([, dots = '', name = '']) => {
      const folders = dots === '' ? foldersFrom(beside) : [path.posix.join(beside, '../'.repeat(dots.length - 1))];
      const modules = folders.map((folder) => path.posix.join(folder, name.replaceAll('.', '/')));
      return modules.flatMap((module) => [`${module}.py`, `${module}/__init__.py`]);
    });
  }
  const named = text.matchAll(/\b(?:from|import|require)[ \t]{0,9}\(?[ \t]{0,9}['"](\.\.?\/[^'"]+)['"]/g);
  return [...named].map(([, name = '']) => {
    const module = path.posix.join(beside, name);
    const endings = ['.ts', '.js', '.tsx', '.mts', '.mjs', '.jsx', '.cjs', '/index.ts', '/index.js'];
    return [module, module.replace(/\.([cm]?)js(x?)$/, '.$1ts$2'), ...endings.map((ending) => `${module}${ending}`)];
  });
}

/** Names and versions. */
function dependenciesOf(manifest: Json | undefined): ReadonlyMap<string, string> {
  const kinds = isJsonObject(manifest) ? [manifest.dependencies, manifest.devDependencies] : [];
  return new Map(
    kinds.flatMap((each) =>
      isJsonObject(each) ? Object.entries(each).map(([name, version]) => [name, String(version)]) : [],
    ),
  );
}
