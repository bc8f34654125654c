/**
 * Makes one file of each page in `web/`, as a module that exports its text: `npm run build:web`. A page loads nothing,
 * and its policy lets nothing run but the script that was built into it.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';
import { PACKAGES_OF_PAGES } from './bundled.ts';

const WEB = path.join(import.meta.dirname, '..', 'web');
const OUT = path.join(import.meta.dirname, '..', 'lib', 'pages');
/** Pages, and what each may connect to: a report to nothing. */
const PAGES = { report: "'none'", page: "'self'" };
/** What JSON takes the place of. */
const DATA = '"%DATA%"';
/** The oldest browsers with `light-dark()`, which the styles build on. */
const BROWSERS = ['chrome123', 'edge123', 'firefox128', 'safari17.5'];
const LICENCES =
  '<!-- With Preact (MIT, (c) Jason Miller), Oat (MIT, (c) Kailash Nadh) and jsdiff (BSD-3-Clause, (c) Kevin Decker). -->';

/** The licences of what is in a page stand beside the bundles: a package that is not known there fails the build. */
const onlyKnownPackages: Plugin = {
  name: 'only-known-packages',
  // Before styles are put together.
  enforce: 'pre',
  transform(code, id) {
    const imported = id.endsWith('.css') ? [...code.matchAll(/@import "((?:@[^/]+\/)?[^."/][^/"]*)/g)] : [];
    const loaded = [...id.matchAll(/[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/g)];
    for (const [, name = ''] of [...imported, ...loaded]) {
      if (!PACKAGES_OF_PAGES.includes(name)) this.error(`${name} is not in PACKAGES_OF_PAGES`);
    }
  },
};

for (const [page, connect] of Object.entries(PAGES)) {
  const html = withPolicy(await bundled(page), connect);
  const text = html.replace('<head>', `<head>${LICENCES}`);
  if (text.split(DATA).length > 2) throw new Error(`${page}.html must not hold ${DATA} twice`);
  mkdirSync(OUT, { recursive: true });
  writeFileSync(
    path.join(OUT, `${page}.js`),
    `export const page = ${JSON.stringify(text)};\nexport const data = ${JSON.stringify(DATA)};\n`,
  );
}

async function bundled(page: string): Promise<string> {
  const result = await build({
    root: WEB,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [onlyKnownPackages, viteSingleFile({ removeViteModuleLoader: true })],
    build: {
      write: false,
      target: BROWSERS,
      modulePreload: false,
      rollupOptions: { input: path.join(WEB, `${page}.html`) },
    },
  });
  const outputs = [result].flat().flatMap((each) => ('output' in each ? each.output : []));
  const [html, ...others] = outputs;
  if (html?.type !== 'asset' || others.length > 0) {
    throw new Error(`${page} is not one file: ${outputs.map(({ fileName }) => fileName).join(', ')}`);
  }
  return String(html.source);
}

/** What stands in the page may run, by its hash; nothing may be loaded, framed or sent. */
function withPolicy(html: string, connect: string): string {
  const hashes = (element: RegExp) =>
    Array.from(
      html.matchAll(element),
      ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    );
  const policy = [
    "default-src 'none'",
    `script-src ${hashes(/<script(?! id="data")[^>]*>([\s\S]*?)<\/script>/g).join(' ')}`,
    `style-src ${hashes(/<style[^>]*>([\s\S]*?)<\/style>/g).join(' ')}`,
    'img-src data:',
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html.replace('<head>', `<head><meta http-equiv="content-security-policy" content="${policy}">`);
}
