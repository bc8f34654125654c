import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SETTINGS } from './settings.ts';

/** A command that a sentence quotes: `agent-replay pin --runs 10 replays/a.session.json`. It is split off without its marks. */
const COMMAND = /`((?:npx )?agent-replay [a-z][^`]*)`/;
const ACCEPT = /^(?:npx )?agent-replay accept\b/;
const PINNED = /--pin (?:\S*\/)?([^/\s]+?)(?:\.session)?\.json/;
const CONFIG = / --config (?:'[^']*'|\S+)/;
const OPTION = /--([a-z]+(?:-[a-z]+)*)(?: (\d+))?/g;
/** The action commits what a comment accepts. */
const COMMITTED = /( in a comment(?: \([^)]*\))*) and commit the changed recordings/;
/** Inputs that are also options of the command, but no settings. */
const OTHERS = ['config', 'output-dir', 'history'];

/**
 * Rewrites a sentence of the core for users of the action: `--runs 12` becomes the input "runs". `accept` becomes a
 * comment, if a workflow of the repository follows comments, else it follows a run on the reader's machine, as it does
 * with --force, which no comment can say. Other commands stay as they are.
 */
export function inAction(sentence: string, { accepts = acceptsComments(process.env) } = {}): string {
  return sentence
    .split(COMMAND)
    .map((part, at) => (at % 2 === 1 ? commandIn(part, accepts) : inInputs(part)))
    .join('')
    .replace(COMMITTED, '$1');
}

function commandIn(command: string, accepts: boolean): string {
  if (!ACCEPT.test(command)) return `\`${command}\``;
  const [how, force] = [' --as-recordings', ' --force'].map((flag) => (command.includes(flag) ? flag : ''));
  const [, name] = PINNED.exec(command) ?? [];
  const [config = ''] = CONFIG.exec(command) ?? [];
  return accepts && force === ''
    ? `\`/agent-replay accept${how}${name === undefined ? '' : ` ${name}`}\` in a comment`
    : `\`npx agent-replay run${config}\`, then \`npx agent-replay accept${how}${force}${config}\``;
}

function inInputs(words: string): string {
  const known = new Set([...OTHERS, ...SETTINGS.map(({ input }) => input)]);
  return words.replace(OPTION, (option, name, value) => {
    if (!known.has(name)) return option;
    return value === undefined ? `input "${name}"` : `input "${name}" set to ${value}`;
  });
}

let found: boolean | undefined;

/** Whether a workflow of the repository follows commands in comments. */
function acceptsComments({ GITHUB_WORKSPACE = process.cwd() }: NodeJS.ProcessEnv): boolean {
  found ??= workflowsIn(path.join(GITHUB_WORKSPACE, '.github', 'workflows')).some((text) =>
    /^[ \t]+mode: *['"]?accept\b/m.test(text),
  );
  return found;
}

function workflowsIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
    return names.map((name) => readFileSync(path.join(folder, name), 'utf8'));
  } catch {
    return [];
  }
}
