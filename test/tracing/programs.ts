import { readFileSync } from 'node:fs';

const PAGE = readFileSync(new URL('../../docs/sources.md', import.meta.url), 'utf8');

/** A program that docs/sources.md shows, for `tracing.command`. */
export function programOf(name: string): string {
  return PAGE.match(new RegExp(`^\`\`\`js ${name}\\.js\\n([\\s\\S]*?)^\`\`\`$`, 'm'))?.[1] ?? '';
}
