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
    .argument('[words...]', 'a page, such as gate, endpoint or tools; or words to look for')
    .action((words: readonly string[]) => {
      const [topic = ''] = words;
      const isTopic = words.length === 1 && topicsIn(docs()).includes(topic);
      process.stdout.write(words.length === 0 ? listed() : isTopic ? page(topic) : found(words.join(' ')));
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

/** Sections with all of the words; those that have them most often come first. */
function found(text: string): string {
  const topics = topicsIn(docs());
  const words = text.toLowerCase().split(/\s+/);
  const sections = topics.flatMap((topic) =>
    page(topic)
      .split(/^(?=#+ )/m)
      .map((section) => ({ topic, heading: titleOf(section), weight: weightOf(section.toLowerCase(), words) })),
  );
  const best = sections.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  if (best.length === 0) {
    throw new AgentReplayError('USAGE', `No page has "${text}" in it.`, {
      evidence: [`there is: ${topics.join(', ')}`],
      hint: 'Name one of these; for the options of a command: agent-replay COMMAND --help.',
    });
  }
  const width = Math.max(...topics.map((topic) => topic.length));
  const lines = best.slice(0, MAX_SECTIONS).map(({ topic, heading }) => `  ${topic.padEnd(width)}  ${heading}`);
  return `"${text}" is in these sections; agent-replay help TOPIC shows the page:\n\n${lines.join('\n')}\n`;
}

const MAX_SECTIONS = 10;
/** As many times in the text as it is worth in the heading. */
const HEADING_WEIGHT = 10;

function weightOf(section: string, words: readonly string[]): number {
  const counts = words.map(
    (word) => section.split(word).length - 1 + (titleOf(section).includes(word) ? HEADING_WEIGHT : 0),
  );
  return Math.min(...counts);
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
