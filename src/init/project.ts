import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { AgentReplayError } from '../errors.ts';
import { foldersFrom, languageAmong, readTextFile } from '../files/index.ts';
import { asText, isJsonObject, type Json, own, parseJson } from '../json/index.ts';
import { type AgentFramework, frameworkAmong, modelKeysOf } from './agent-framework.ts';
import {
  inspectPython,
  isPythonFramework,
  type PythonFramework,
  type PythonProject,
  pythonCommand,
  pythonFrameworkAmong,
  pythonPort,
} from './python.ts';
import { type TracingPlace, tracingPlaceIn } from './tracing-place.ts';

/** By their package, most telling first: a Next.js project may well have Express too. */
const SERVERS = ['next', 'hono', 'fastify', 'express', 'koa', 'mastra'] as const;
/** `other`: neither JavaScript nor Python. */
export type Framework = (typeof SERVERS)[number] | 'node' | PythonFramework | 'other';

/** What a folder shows about the agent in it. */
export interface Project {
  readonly root: string;
  /** Of the package without its scope, or of the folder. */
  readonly name: string;
  readonly packageManager: 'npm' | 'pnpm' | 'yarn' | 'bun' | undefined;
  readonly framework: Framework;
  readonly python: PythonProject | undefined;
  readonly agent: AgentFramework | undefined;
  readonly dependencies: ReadonlySet<string>;
  readonly tracing: 'langfuse' | 'langfuse 3' | 'opentelemetry' | undefined;
  /** The line that sets tracing up, if found. */
  readonly tracingPlace: TracingPlace | undefined;
  readonly isTypeScript: boolean;
  /** Its files are modules unless their ending says otherwise. */
  readonly isModule: boolean;
  /** Imports name TypeScript files with their extension, as Node.js needs it. */
  readonly importsTypeScript: boolean;
  /** The command that starts it, if a script of the package shows one. */
  readonly command: string | undefined;
  /** What that finally runs: `next start -p 4000` for `npm start`. */
  readonly script: string;
  /** A command that must run before it. */
  readonly build: string | undefined;
  readonly port: number;
  /** Only an uncommitted file says so. */
  readonly isPortLocal: boolean;
  /** It listens on PORT, so each start can have a port of its own. */
  readonly takesPort: boolean;
  /** Variables with the keys of its models. */
  readonly modelKeys: readonly string[];
  /** Variables that only this machine's .env files set. */
  readonly localVariables: readonly string[];
  /** The folder has forward slashes, and is empty for the root. */
  readonly repository: { readonly root: string; readonly folder: string };
  /** One lock file covers the whole repository. */
  readonly isWorkspace: boolean;
  readonly config: string | undefined;
  readonly hasVitest: boolean;
  /** Whether agent-replay is among its dependencies, and whether among those of development. */
  readonly isInstalled: boolean;
  readonly isForDevelopment: boolean;
}

const TRACING: Readonly<Record<string, Project['tracing']>> = {
  '@langfuse/otel': 'langfuse',
  '@langfuse/tracing': 'langfuse',
  '@opentelemetry/sdk-node': 'opentelemetry',
  '@opentelemetry/sdk-trace-node': 'opentelemetry',
  '@opentelemetry/sdk-trace-base': 'opentelemetry',
  langfuse: 'langfuse 3',
};

const LOCK_FILES: Readonly<Record<string, Project['packageManager']>> = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
  'package-lock.json': 'npm',
};

/** Usually not committed. */
export const LOCAL_FILES = ['.env', '.env.local'] as const;
const DEFAULT_PORT = 3000;
const MASTRA_PORT = 4111;
const CONFIG = /^agent-replay\.config\.(?:[mc]?[jt]s|json)$/;

/**
 * Runs nothing in the folder.
 * @param options.command starts the agent, if already known
 * @throws AgentReplayError `INPUT_INVALID` if its package.json cannot be read
 */
export async function inspectProject(root: string, options: { readonly command?: string } = {}): Promise<Project> {
  const manifest = await readManifest(path.join(root, 'package.json'));
  const has = (file: string) => existsSync(path.join(root, file));
  const text = (file: string) => readTextFile(path.join(root, file)).catch(() => '');
  const files = (await readdir(root)).sort();
  const isPython = languageAmong(files, manifest) === 'python';
  const dependencies =
    isPython || manifest === undefined
      ? namesIn(`${await text('requirements.txt')}\n${await text('pyproject.toml')}\n${await text('Pipfile')}`)
      : new Set(
          ['dependencies', 'devDependencies', 'peerDependencies'].flatMap((kind) =>
            Object.keys(objectIn(manifest, kind)),
          ),
        );
  const repository = repositoryOf(root);
  const locked = isPython || manifest === undefined ? undefined : managerOf(manifest, root, repository.root);
  const scripts = objectIn(manifest, 'scripts');
  const framework = frameworkOf(manifest, dependencies, isPython);
  const python = isPythonFramework(framework) ? await inspectPython(root, framework) : undefined;
  const known =
    python === undefined ? commandOf(scripts, locked?.manager ?? 'npm', framework) : pythonCommand(python, framework);
  const command = options.command ?? known;
  const script = scriptBehind(command, scripts);
  const variables = (await Promise.all([...LOCAL_FILES, '.env.example'].map(text))).map((each) => parseEnv(each));
  const tracing = Object.entries(TRACING).find(([name]) => dependencies.has(name))?.[1];
  const port = portIn(script);
  const started = await Promise.all(filesIn(script).map(text));
  const local = variables.slice(0, LOCAL_FILES.length);
  const localPort = local.flatMap((each) => Number(each.PORT) || [])[0];
  return {
    root,
    name: nameOf(manifest, root),
    packageManager: locked?.manager,
    framework,
    python,
    agent: frameworkAmong(dependencies, python === undefined ? 'javascript' : 'python'),
    dependencies,
    tracing,
    tracingPlace: manifest === undefined || isPython ? undefined : await tracingPlaceIn(root),
    isTypeScript: has('tsconfig.json') || dependencies.has('typescript'),
    isModule: isJsonObject(manifest) && manifest.type === 'module',
    importsTypeScript:
      script
        .split(/[&|;]/)
        .some((part) => /\bnode\b/.test(part) && !/tsx|ts-node/.test(part) && /\.m?ts\b/.test(part)) ||
      /"(?:allowImportingTsExtensions|rewriteRelativeImportExtensions)"\s*:\s*true/.test(await text('tsconfig.json')),
    command,
    script,
    build: buildOf(script, scripts, locked?.manager ?? 'npm'),
    port: port ?? localPort ?? portOf(started) ?? defaultPort(framework),
    isPortLocal: port === undefined && localPort !== undefined,
    takesPort: port === undefined && readsPort(started),
    modelKeys: modelKeysOf(dependencies, variables.flatMap(Object.keys)),
    localVariables: local.flatMap(Object.keys),
    repository,
    isWorkspace: locked?.isAbove ?? false,
    config: files.find((file) => CONFIG.test(file)),
    hasVitest: dependencies.has('vitest'),
    isInstalled: dependencies.has('agent-replay'),
    isForDevelopment: 'agent-replay' in objectIn(manifest, 'devDependencies'),
  };
}

function frameworkOf(manifest: Json | undefined, dependencies: ReadonlySet<string>, isPython: boolean): Framework {
  if (isPython) return pythonFrameworkAmong(dependencies);
  return manifest === undefined ? 'other' : (SERVERS.find((name) => dependencies.has(name)) ?? 'node');
}

/** Words in a file that may be names of Python packages. */
function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[a-z][a-z0-9._-]*/g) ?? []);
}

/** A path from the repository's root, as one from a folder in it. */
export function inRepository(folder: string, file: string): string {
  return path.posix.join(...(folder === '' ? [] : folder.split('/').map(() => '..')), file);
}

/** The folder with `.git`, here or above; otherwise this folder. */
export function repositoryOf(root: string): Project['repository'] {
  const top = foldersFrom(root).find((folder) => existsSync(path.join(folder, '.git'))) ?? root;
  return { root: top, folder: path.relative(top, root).split(path.sep).join('/') };
}

async function readManifest(file: string): Promise<Json | undefined> {
  try {
    return parseJson(await readTextFile(file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new AgentReplayError('INPUT_INVALID', 'The package.json of this folder cannot be read.', {
      evidence: [message],
      hint: 'Correct it, or run init in the folder of your agent.',
      location: { file },
    });
  }
}

function objectIn(manifest: Json | undefined, key: string): Readonly<Record<string, Json>> {
  const value = isJsonObject(manifest) ? own(manifest, key) : undefined;
  return isJsonObject(value) ? (value as Record<string, Json>) : {};
}

function nameOf(manifest: Json | undefined, root: string): string {
  const name = isJsonObject(manifest) && typeof manifest.name === 'string' ? manifest.name : path.basename(root);
  return name.replace(/^@[^/]*\//, '') || 'agent';
}

/** A package in a workspace has its lock file in a folder above. */
function managerOf(manifest: Json, root: string, top: string) {
  for (const folder of foldersFrom(root)) {
    const locked = Object.entries(LOCK_FILES).find(([file]) => existsSync(path.join(folder, file)))?.[1];
    const own = folder === root ? managerNamed(manifest) : undefined;
    const manager = own ?? locked;
    if (manager !== undefined) return { manager, isAbove: folder !== root };
    if (folder === top) break;
  }
  return { manager: 'npm' as const, isAbove: false };
}

function managerNamed(manifest: Json): Project['packageManager'] {
  const named = isJsonObject(manifest) ? asText(manifest.packageManager) : '';
  return /^(npm|pnpm|yarn|bun)@/.exec(named)?.[1] as Project['packageManager'];
}

function defaultPort(framework: Framework): number {
  return framework === 'mastra' ? MASTRA_PORT : (pythonPort(framework) ?? DEFAULT_PORT);
}

/** Mastra's build installs the agent's packages each time, so its development server is started instead. */
function commandOf(scripts: Readonly<Record<string, Json>>, manager: string, framework: Framework): string | undefined {
  if (framework === 'mastra' && typeof scripts.dev === 'string') return `${manager} run dev`;
  if (typeof scripts.start === 'string') return `${manager} start`;
  return typeof scripts.dev === 'string' ? `${manager} run dev` : undefined;
}

/** `npm run build && npm start` -> `next build && next start -p 4000`. */
function scriptBehind(command = '', scripts: Readonly<Record<string, Json>>): string {
  const parts = command.split('&&').map((part) => {
    const name = /^(?:npm|pnpm|yarn|bun)(?: run)? ([\w:-]+)$/.exec(part.trim())?.[1];
    return name === undefined ? part.trim() : asText(scripts[name] ?? part);
  });
  return parts.join(' && ');
}

function portIn(script: string): number | undefined {
  const port = /(?:\bPORT=|\s-p[ =]?|--port[ =])(\d{2,5})\b/.exec(script)?.[1];
  return port === undefined ? undefined : Number(port);
}

/** Scripts that a command starts: `tsx watch src/server.ts`. */
export function filesIn(script: string): string[] {
  return script.split(/\s+/).filter((word) => /^[^-].*\.(?:[cm]?[jt]s|py)$/.test(word));
}

/** `app.listen(4000)`, `server.listen({ port: 4000 })`. */
function portOf(texts: readonly string[]): number | undefined {
  return texts.flatMap((text) => Number(/\.listen\((?:\{\s*port:\s*)?(\d{2,5})\b/.exec(text)?.[1]) || [])[0];
}

function readsPort(texts: readonly string[]): boolean {
  return texts.some((text) => /\benv(?:\.PORT\b|\[['"]PORT['"]\])/.test(text));
}

/** The command starts a build that it does not make itself: `next start`, `node dist/server.js`. */
function buildOf(script: string, scripts: Readonly<Record<string, Json>>, manager: string): string | undefined {
  if (/\bbuild\b(?![/.])/.test(`${script} ${asText(scripts.prestart ?? '')}`)) return undefined;
  const isBuilt = /\b(?:next|mastra|nuxt|astro|remix-serve) start\b|\b(?:dist|build|out|lib|\.next|\.mastra)\//.test(
    script,
  );
  return isBuilt && typeof scripts.build === 'string' ? `${manager} run build` : undefined;
}
