import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Session } from '../../src/session/index.ts';

/** A temporary project folder that goes away with its scope. */
export async function projectFolder(files: Record<string, string | object> = {}) {
  const root = await mkdtemp(path.join(tmpdir(), 'agent-replay-session-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return {
    root,
    at: (name: string) => path.join(root, name),
    async [Symbol.asyncDispose]() {
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** The smallest session that can be replayed. */
export function aSession(id: string, changes: Partial<Session> = {}): Session {
  return {
    version: 1,
    stepsVersion: 1,
    id,
    turns: [{ request: { input: 'Where is my order?' }, recorded: { output: 'On its way.', observations: [] } }],
    ...changes,
  };
}
