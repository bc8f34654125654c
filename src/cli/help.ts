import type { Command } from 'commander';
import { AgentReplayError } from '../errors.ts';
import { shippedFiles, shippedText } from '../files/index.ts';

/** Pages about the project itself, which users do not need. */
const INTERNAL = new Set(['architecture', 'glossary', 'releasing', 'soak']);

export function define(command: Command): void {
  command
    .description(
      'Show a page of the documentation; without a topic, list the pages. For options: agent-replay COMMAND --help',
    )
    .argument('[words...]', 'a page, such as gate, endpoint or tools; or words to look for')
    .action((words: readonly string[]) => {
      const [topic = ''] = words;
      const isTopic = words.length === 1 && topics().includes(topic);
      if (words.length === 0) {
        const titles = topics().map((each) => ({ topic: each, heading: titleOf(page(each)) }));
        process.stdout.write(listed('agent-replay help TOPIC shows one of these pages', titles));
      } else process.stdout.write(isTopic ? page(topic) : found(words.join(' ')));
    });
}

/** A line for each heading, with the topic of its page. */
function listed(about: string, headings: readonly Heading[]): string {
  const width = Math.max(...topics().map((topic) => topic.length));
  const lines = headings.map(({ topic, heading }) => `  ${topic.padEnd(width)}  ${heading}`);
  return `${about}:\n\n${lines.join('\n')}\n`;
}

interface Heading {
  readonly topic: string;
  readonly heading: string;
}

function page(topic: string): string {
  return shippedText(`docs/${topic}.md`);
}

/** Sections with all of the words; those that have them most often come first. */
function found(text: string): string {
  const words = text.toLowerCase().split(/\s+/);
  const sections = topics().flatMap((topic) =>
    page(topic)
      .split(/^(?=#+ )/m)
      .map((section) => ({ topic, heading: titleOf(section), weight: weightOf(section.toLowerCase(), words) })),
  );
  const best = sections.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  if (best.length === 0) {
    throw new AgentReplayError('USAGE', `No page has "${text}" in it.`, {
      evidence: [`there is: ${topics().join(', ')}`],
      hint: 'Name one of these; for the options of a command: agent-replay COMMAND --help.',
    });
  }
  const about = `"${text}" is in these sections; agent-replay help TOPIC shows the page`;
  return listed(about, best.slice(0, MAX_SECTIONS));
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

function topics(): string[] {
  return shippedFiles('docs')
    .flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -'.md'.length)] : []))
    .filter((topic) => !INTERNAL.has(topic));
}
