/**
 * Builds the documentation as a site with search, in one folder: `npm run build:site -- FOLDER`, by default build/site.
 * The first build installs the generator here. Needs `lib/` (`npm run build`), because it runs the example agent for
 * the report and the page that the site shows.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, runOrEnd } from '../installed.ts';
import { writePageCopy } from './page-copy.ts';
import { type SitePage, sitePages } from './pages.ts';

const FOLDER = import.meta.dirname;
const ROOT = path.join(FOLDER, '..', '..');
const STAGE = path.join(ROOT, 'build', 'site-pages');
const SITE = path.resolve(process.argv[2] ?? path.join(ROOT, 'build', 'site'));

rmSync(STAGE, { recursive: true, force: true });
const pages = sitePages(ROOT);
for (const { path: file, text } of pages) write(file, text);
cpSync(path.join(ROOT, 'docs', 'images'), path.join(STAGE, 'docs', 'images'), { recursive: true });
writeExampleReport(path.join(STAGE, 'public', 'example'));
await writePageCopy(ROOT, path.join(STAGE, 'public', 'example', 'page.html'));
write('.vitepress/site.json', JSON.stringify({ outDir: SITE, sidebar: sidebarOf(pages) }));
cpSync(path.join(FOLDER, '.vitepress', 'config.mjs'), path.join(STAGE, '.vitepress', 'config.mjs'));
ensureInstalled(FOLDER);
// The generator looks for its own files from the folder of the pages.
symlinkSync(path.join(FOLDER, 'node_modules'), path.join(STAGE, 'node_modules'), 'dir');
runOrEnd(path.join(FOLDER, 'node_modules', '.bin', 'vitepress'), ['build', STAGE]);

function write(file: string, text: string): void {
  const target = path.join(STAGE, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}

/** The report of the example agent with its edited prompt, for readers who install nothing. */
function writeExampleReport(folder: string): void {
  const config = path.join('examples', 'support-agent', 'changed.config.ts');
  const args = ['bin/agent-replay.js', 'run', '--quiet', '--config', config, '--output-dir', folder];
  const { status, stderr } = spawnSync(process.execPath, [...args, '--reporter', 'html'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 1) throw new Error(`the example run ended with ${status}: ${stderr}`);
  for (const rest of ['journal.ndjson', 'traces', 'report.json']) {
    rmSync(path.join(folder, rest), { recursive: true, force: true });
  }
}

/** The pages in the order in which README.md links them under "Read more", then all others. */
function sidebarOf(all: readonly SitePage[]): { text: string; link: string }[] {
  const [, more = ''] = readFileSync(path.join(ROOT, 'README.md'), 'utf8').split('## Read more');
  const listed = [...more.matchAll(/\]\(([\w./-]+\.md)\)/g)].map(([, source = '']) => source);
  const order = new Map(['docs/getting-started.md', ...listed].map((source, at) => [source, at]));
  const rank = ({ source }: SitePage) => (source === 'README.md' ? -1 : (order.get(source) ?? order.size));
  return [...all]
    .sort((a, b) => rank(a) - rank(b))
    .map(({ title, path: file }) => ({ text: title, link: `/${file.replace(/(?:index)?\.md$/, '')}` }));
}
