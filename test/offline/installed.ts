import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { command } from '../cli/command.ts';
import { recordTurns } from '../frameworks/lead.ts';
import { type ModelServer, startModelServer } from '../frameworks/model-server.ts';
import { walkOf } from '../frameworks/walk.ts';
import { type Edit, edited } from './project.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const WALKS = path.join(ROOT, 'test', 'frameworks', 'walks');

/** An agent that its framework's users install. */
export interface InstalledAgent {
  /** Of the walk. */
  readonly name: string;
  /** In place of the walk's agent. */
  readonly own?: string;
  /** What is changed before it is recorded. */
  readonly altered?: Edit;
  readonly env?: Readonly<Record<string, string>>;
}

/** This package as it is published, and a model that always says the same. */
export interface Packed extends AsyncDisposable {
  readonly folder: string;
  readonly model: ModelServer;
}

export async function packed(): Promise<Packed> {
  const model = await startModelServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'packed-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: ROOT });
  const end = async () => {
    await model[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, model, [Symbol.asyncDispose]: end };
}

export interface Installed {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Installed from its lock file, set up, and with a recorded session in which these questions were asked. */
export async function installedFrom(
  { folder: archives, model }: Packed,
  { name, own, altered, env }: InstalledAgent,
  questions: readonly string[],
): Promise<Installed> {
  const walk = walkOf(name);
  const folder = mkdtempSync(path.join(tmpdir(), `offline-${name}-`));
  cpSync(path.join(WALKS, name), folder, { recursive: true });
  if (own !== undefined) cpSync(path.join(import.meta.dirname, 'agents', own), path.join(folder, 'agent.js'));
  if (altered !== undefined) await edited(folder, altered);
  const [archive = ''] = readdirSync(archives);
  walk.install(folder, path.join(archives, archive));
  const all = { ...model.env, ...walk.env, ...env };
  const init = ['init', '--yes', '--agent-id', 'shop', '--url', 'http://127.0.0.1:{port}/replay', ...walk.init];
  expect(await command(init, { cwd: folder, env: all })).toMatchObject({ code: 0 });
  await recordTurns({ folder, env: all, converse: conversed }, questions);
  return { folder, env: all };
}

async function conversed(address: string, questions: readonly string[]): Promise<void> {
  for (const message of questions) {
    const body = JSON.stringify({ session: 'one', message });
    await fetch(`${address}/chat`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  }
}
