import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { AgentReplayError } from '../errors.ts';

/** Pages about the project itself, which users do not need. */
const INTERNAL = new Set(['architecture', 'glossary', 'releasing', 'soak']);

/** The documents that ship with the package, seen from `lib/` and, in a checkout, from `src/cli/`. */
const DOCS = ['../docs', '../../docs'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));

export function define(command: Command): void {
  command
    .description(
      'Show a page of the documentation; without a topic, list the pages. For options: agent-replay COMMAND --help',
    )
    .argument('[topic]', 'a page, such as gate, endpoint or tools')
    .action((topic: string | undefined) => {
      process.stdout.write(topic === undefined ? listed() : known(topic));
    });
}

/** Each topic with the title of its page. */
function listed(): string {
  const topics = topicsIn(docs());
  const width = Math.max(...topics.map((topic) => topic.length));
  const lines = topics.map((topic) => `  ${topic.padEnd(width)}  ${titleOf(page(topic))}`);
  return `agent-replay help TOPIC shows one of these pages:\n\n${lines.join('\n')}\n`;
}

function page(topic: string): string {
  return readFileSync(path.join(docs(), `${topic}.md`), 'utf8');
}

function known(topic: string): string {
  const topics = topicsIn(docs());
  if (topics.includes(topic)) return page(topic);
  throw new AgentReplayError('USAGE', `There is no page "${topic}".`, {
    evidence: [`there is: ${topics.join(', ')}`],
    hint: 'Name one of these; for the options of a command: agent-replay COMMAND --help.',
  });
}

function titleOf(text: string): string {
  return text.slice(0, text.indexOf('\n')).replace(/^#+ /, '');
}

function topicsIn(folder: string): string[] {
  return readdirSync(folder)
    .flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -'.md'.length)] : []))
    .filter((topic) => !INTERNAL.has(topic))
    .sort();
}

function docs(): string {
  const found = DOCS.find((folder) => readdirSync(path.dirname(folder)).includes('docs'));
  if (found === undefined) throw new AgentReplayError('INTERNAL', 'The documentation of the package is missing.');
  return found;
}
