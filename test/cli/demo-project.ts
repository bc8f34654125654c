import { cp } from 'node:fs/promises';
import path from 'node:path';
import { folderWith } from '../config/folder.ts';

const DEMO = path.join(import.meta.dirname, '../../lib/demo');

/** A project of the example agent that ships with the package, with its edited prompt and its pinned sessions. */
export async function demoProject(): ReturnType<typeof folderWith> {
  const folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({
      agent: {
        command: `"${process.execPath}" "${path.join(DEMO, 'agent.js')}"`,
        url: 'http://127.0.0.1:{port}/replay',
        env: { SYSTEM_PROMPT_FILE: 'prompts/system-v2.md' },
      },
      runs: 2,
    }),
  });
  for (const part of ['replays', 'prompts'])
    await cp(path.join(DEMO, part), path.join(folder.path, part), { recursive: true });
  return folder;
}
