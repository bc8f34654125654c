import type { Command } from 'commander';
import { AgentReplayError } from '../errors.ts';
import { shippedFiles, shippedText } from '../files/index.ts';

/** Pages about the project itself, which users do not need. */
const INTERNAL = new Set(['architecture', 'glossary']);

export function define(command: Command): void {
  command
    .description(
      'Show a page of the documentation; without a topic, list the pages. For options: agent-replay COMMAND --help',
    )
    .argument('[words...]', 'a page, such as gate, endpoint or tools; or a heading, or words to look for')
    .action((words: readonly string[]) => {
      const [topic = ''] = words;
      const isTopic = words.length === 1 && topics().includes(topic);
      if (words.length === 0) {
        const titles = topics().map((each) => ({ topic: each, heading: titleOf(page(each)) }));
        process.stdout.write(
          listed('agent-replay help TOPIC shows one of these pages, help WORDS the section that has them', titles),
        );
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

/** Comments in a block of code begin like headings. */
function sectionsOf(text: string): string[] {
  const sections: string[] = [];
  for (const part of text.split(/^(?=#+ )/m)) {
    const last = sections.at(-1);
    const isInCode = last !== undefined && (last.split(/^```/m).length - 1) % 2 === 1;
    if (isInCode) sections[sections.length - 1] = last + part;
    else sections.push(part);
  }
  return sections;
}

/** The section of that heading, or else the one that has the words best, whole, and more of them by their headings. */
function found(text: string): string {
  const sections = topics().flatMap((topic) =>
    sectionsOf(page(topic)).map((section) => ({ topic, section, heading: titleOf(section) })),
  );
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => {
      const densities = sections.map(({ section }) => densityOf(word, section.toLowerCase()));
      const holders = densities.filter((density) => density > 0).length;
      // What nearly every section has says nothing, as "of".
      return { densities, rarity: Math.log(sections.length / Math.max(1, holders)) };
    });
  const [first, ...others] = sections
    .map((each, index) => ({
      ...each,
      isNamed: each.heading.toLowerCase() === text.toLowerCase(),
      held: words.filter(({ densities }) => (densities[index] ?? 0) > 0).length,
      weight: words.reduce((sum, { densities, rarity }) => sum + rarity * Math.log1p(densities[index] ?? 0), 0),
    }))
    .filter(({ held }) => held > 0)
    .sort(
      (a, b) =>
        Number(b.isNamed) - Number(a.isNamed) ||
        Number(b.held === words.length) - Number(a.held === words.length) ||
        b.weight - a.weight,
    )
    .slice(0, MAX_SECTIONS);
  // `agent.baseFiles` stands on its page as `baseFiles`.
  if (first === undefined && /^\w+(?:\.\w+)+$/.test(text)) return found(text.replaceAll('.', ' '));
  if (first === undefined) {
    throw new AgentReplayError('USAGE', `No page has "${text}" in it.`, {
      evidence: [`there is: ${topics().join(', ')}`],
      hint: 'Name one of these; for the options of a command: agent-replay COMMAND --help.',
    });
  }
  const shown = `${first.section.trimEnd()}\n\n(agent-replay help ${first.topic})\n`;
  if (others.length === 0) return shown;
  return `${shown}\n${listed(`"${text}" is also in these; agent-replay help HEADING shows one`, others)}`;
}

const MAX_SECTIONS = 10;
/** As many times in a text of a thousand characters as it is worth in the heading. */
const HEADING_WEIGHT = 10;

function densityOf(word: string, section: string): number {
  const density = ((section.split(word).length - 1) * 1_000) / Math.max(1_000, section.length);
  return density + (titleOf(section).includes(word) ? HEADING_WEIGHT : 0);
}

function titleOf(text: string): string {
  return text.slice(0, text.indexOf('\n')).replace(/^#+ /, '');
}

function topics(): string[] {
  return shippedFiles('docs')
    .flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -'.md'.length)] : []))
    .filter((topic) => !INTERNAL.has(topic));
}
