/**
 * Writes `docs/llms.txt`, a list of the documents for programs that read them (https://llmstxt.org): `npm run build:llms`.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
/** The most characters of a page's description. */
const ENOUGH = 60;
/** Pages about the project itself. */
const INTERNAL = /^docs\/(?:architecture|glossary)\.md$/;

/** The text of `docs/llms.txt`: one line for each page, with its title and its first sentences. */
export function llmsText(): string {
  const { description } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { description: string };
  const pages = globSync('docs/*.md', { cwd: ROOT })
    .filter((page) => !INTERNAL.test(page))
    .sort();
  return `# agent-replay\n\n> ${description}\n\n## Docs\n\n${pages.map(lineOf).join('\n')}\n`;
}

function lineOf(page: string): string {
  const [title = '', ...blocks] = readFileSync(path.join(ROOT, page), 'utf8').split(/\n{2,}/);
  const prose = blocks
    .filter((block) => /^(?!```)[A-Z`]/.test(block))
    .join(' ')
    .replaceAll('\n', ' ');
  const sentences = prose.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').split(/(?<=[.?]) /);
  const enough = sentences.findIndex((_, at) => sentences.slice(0, at + 1).join(' ').length >= ENOUGH);
  return `- [${title.replace(/^# /, '')}](${path.basename(page)}): ${sentences.slice(0, enough + 1).join(' ')}`;
}

if (import.meta.main) writeFileSync(path.join(ROOT, 'docs', 'llms.txt'), llmsText());
