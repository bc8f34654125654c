import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { asText, isJsonObject, type Json, parseJson } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';

export const frameworks = ['next', 'hono', 'fastify', 'express', 'node', 'other'] as const;
/** What serves the agent; `other` is anything that is not JavaScript. */
export type Framework = (typeof frameworks)[number];

/** What a folder says of the agent in it. */
export interface Project {
  readonly root: string;
  /** Name of the package without its scope, or of the folder. */
  readonly name: string;
  readonly packageManager: 'npm' | 'pnpm' | 'yarn' | 'bun' | undefined;
  readonly framework: Framework;
  readonly tracing: 'langfuse' | 'opentelemetry' | undefined;
  readonly isTypeScript: boolean;
  /** The command that starts it, as far as a script of the package tells. */
  readonly command: string | undefined;
  /** The port that the framework listens on when it is told nothing else. */
  readonly port: number;
  readonly hasVitest: boolean;
  /** Whether agent-replay is among its dependencies. */
  readonly isInstalled: boolean;
}

/** Frameworks by the package that gives them away; a Next.js project may well have Express in it too. */
const FRAMEWORKS: readonly Framework[] = ['next', 'hono', 'fastify', 'express'];

const TRACING: readonly (readonly [string, Project['tracing']])[] = [
  ['@langfuse/otel', 'langfuse'],
  ['@langfuse/tracing', 'langfuse'],
  ['langfuse', 'langfuse'],
  ['@opentelemetry/sdk-node', 'opentelemetry'],
  ['@opentelemetry/sdk-trace-node', 'opentelemetry'],
  ['@opentelemetry/sdk-trace-base', 'opentelemetry'],
];

const LOCK_FILES: readonly (readonly [string, Project['packageManager']])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
];

const DEFAULT_PORT = 3000;
/** Of uvicorn and Django. */
const PYTHON_PORT = 8000;

/**
 * Looks at a folder, and runs nothing of it.
 * @throws AgentReplayError `INPUT_INVALID` when its package.json cannot be read
 */
export async function inspectProject(root: string): Promise<Project> {
  const manifest = await readManifest(path.join(root, 'package.json'));
  const has = (file: string) => existsSync(path.join(root, file));
  const dependencies = new Set(
    ['dependencies', 'devDependencies', 'peerDependencies'].flatMap((kind) => Object.keys(objectIn(manifest, kind))),
  );
  const packageManager = manifest === undefined ? undefined : managerOf(manifest, has);
  const isPython = ['pyproject.toml', 'requirements.txt', 'setup.py', 'Pipfile'].some(has);
  return {
    root,
    name: nameOf(manifest, root),
    packageManager,
    framework: manifest === undefined ? 'other' : (FRAMEWORKS.find((name) => dependencies.has(name)) ?? 'node'),
    tracing: TRACING.find(([name]) => dependencies.has(name))?.[1],
    isTypeScript: has('tsconfig.json') || dependencies.has('typescript'),
    command: commandOf(objectIn(manifest, 'scripts'), packageManager ?? 'npm'),
    port: isPython && manifest === undefined ? PYTHON_PORT : DEFAULT_PORT,
    hasVitest: dependencies.has('vitest'),
    isInstalled: dependencies.has('agent-replay'),
  };
}

async function readManifest(file: string): Promise<Json | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unreadable(file, error.message);
  });
  if (text === undefined) return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    throw unreadable(file, (error as Error).message);
  }
}

function unreadable(file: string, reason: string): AgentReplayError {
  return new AgentReplayError('INPUT_INVALID', 'The package.json of this folder cannot be read.', {
    evidence: [reason],
    hint: 'Correct it, or run init in the folder of your agent.',
    location: { file },
  });
}

function objectIn(manifest: Json | undefined, key: string): Readonly<Record<string, Json>> {
  const value = isJsonObject(manifest) && Object.hasOwn(manifest, key) ? manifest[key] : undefined;
  return isJsonObject(value) ? (value as Record<string, Json>) : {};
}

function nameOf(manifest: Json | undefined, root: string): string {
  const name = isJsonObject(manifest) && typeof manifest.name === 'string' ? manifest.name : path.basename(root);
  return name.replace(/^@[^/]*\//, '') || 'agent';
}

function managerOf(manifest: Json, has: (file: string) => boolean): NonNullable<Project['packageManager']> {
  const named = isJsonObject(manifest) ? /^(npm|pnpm|yarn|bun)@/.exec(asText(manifest.packageManager))?.[1] : undefined;
  const locked = LOCK_FILES.find(([file]) => has(file))?.[1];
  return (named as Project['packageManager']) ?? locked ?? 'npm';
}

function commandOf(scripts: Readonly<Record<string, Json>>, manager: string): string | undefined {
  if (typeof scripts.start === 'string') return `${manager} start`;
  return typeof scripts.dev === 'string' ? `${manager} run dev` : undefined;
}
