import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** The pages for readers, in the order of the site. Those that README.md names under "Read more" come first. */
const SOURCES = [
  'README.md',
  'docs/*.md',
  'bench/*.md',
  'examples/*/README.md',
  '{CHANGELOG,SECURITY,CONTRIBUTING}.md',
];

export interface SitePage {
  /** Path in the repository. */
  readonly source: string;
  /** Path on the site. A README becomes the page of its folder. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** The documentation as pages of the site: the same Markdown, with links to pages of the site only. */
export function sitePages(root: string): SitePage[] {
  const sources = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root }).sort());
  const pages = new Map(sources.map((source) => [source, source.replace(/README\.md$/, 'index.md')]));
  return [...pages].map(([source, target]) => {
    const markdown = readFileSync(path.join(root, source), 'utf8');
    const title = /^# (.+)$/m.exec(markdown)?.[1] ?? source;
    return { source, path: target, title, text: withLinks(markdown, { root, source, target, pages }) };
  });
}

interface Place {
  readonly root: string;
  readonly source: string;
  readonly target: string;
  readonly pages: ReadonlyMap<string, string>;
}

/** GitHub shows a page of HTML as its source, so documents there lead to a picture of it; the site has the page itself. */
const PICTURE_OF_REPORT = 'docs/images/report.png';
const REPORT = 'example/report.html';

const FENCE = /^(```[\s\S]*?^```)$/m;
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/**
 * Turns links into links of the site, outside of code. A link to anything else in the repository becomes plain text.
 */
function withLinks(markdown: string, place: Place): string {
  return markdown
    .split(FENCE)
    .map((part) => (part.startsWith('```') ? part : part.replace(LINK, (...found) => linkFor(found, place))))
    .join('');
}

function linkFor([all, image, text, link]: readonly string[], { root, source, target, pages }: Place): string {
  if (image === '!' || link === undefined || /^(?:https?:|#)/.test(link)) return all ?? '';
  const [file = '', anchor] = link.split('#');
  const meant = path.posix.join(path.posix.dirname(source), file).replace(/\/$/, '');
  if (meant === PICTURE_OF_REPORT) {
    return `<a href="${path.posix.relative(path.posix.dirname(target), REPORT)}" target="_self">${text}</a>`;
  }
  const page = pages.get(isFolder(path.join(root, meant)) ? `${meant}/README.md` : meant);
  if (page === undefined) return text ?? '';
  const relative = path.posix.relative(path.posix.dirname(target), page);
  return `[${text}](./${relative}${anchor === undefined ? '' : `#${anchor}`})`;
}

function isFolder(file: string): boolean {
  return existsSync(file) && statSync(file).isDirectory();
}
