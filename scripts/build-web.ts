/**
 * Makes one file of each page in `src/ui/web/`, as a module that exports the page as text: `npm run build:web`. A page loads
 * nothing, and its policy allows only the script that was built into it.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';
import { PACKAGES_OF_PAGES } from './bundled.ts';

const WEB = path.join(import.meta.dirname, '..', 'src', 'ui', 'web');
const OUT = path.join(import.meta.dirname, '..', 'lib', 'pages');
/** Each page, and what it may connect to. A report connects to nothing. */
const PAGES = { report: "'none'", page: "'self'" };
/** The placeholder that the page's JSON replaces. */
const DATA = '"%DATA%"';
/** The oldest browsers with `light-dark()`, which the styles need. */
const BROWSERS = ['chrome123', 'edge123', 'firefox128', 'safari17.5'];
const LICENCES = '<!-- With Preact (MIT, (c) Jason Miller) and jsdiff (BSD-3-Clause, (c) Kevin Decker). -->';

/**
 * Fails the build if a package in a page is unknown here, because the licences beside the bundles must name it, or if a page
 * needs a module of Node: a browser has none.
 */
const onlyKnownPackages: Plugin = {
  name: 'only-known-packages',
  // Runs before the script becomes a part of the page.
  generateBundle: {
    order: 'pre',
    handler(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        for (const [id, { renderedLength }] of Object.entries(chunk.type === 'chunk' ? chunk.modules : {})) {
          const [, name] = /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id) ?? [];
          if (renderedLength === 0) continue;
          if (name !== undefined && !PACKAGES_OF_PAGES.includes(name))
            this.error(`${name} is not in PACKAGES_OF_PAGES`);
          if (id.includes('browser-external')) this.error(`${id} is not there in a browser`);
        }
      }
    },
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
    // Modules of Node that are left out again cause warnings.
    logLevel: 'error',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [onlyKnownPackages, viteSingleFile({ removeViteModuleLoader: true })],
    build: {
      write: false,
      target: BROWSERS,
      modulePreload: false,
      rollupOptions: {
        input: path.join(WEB, `${page}.html`),
        // Of the words that every output shares a page takes what it says, without Node's modules and without schemas.
        treeshake: { moduleSideEffects: (id) => isOfPages(id) },
      },
    },
  });
  const outputs = [result].flat().flatMap((each) => ('output' in each ? each.output : []));
  const [html, ...others] = outputs;
  if (html?.type !== 'asset' || others.length > 0) {
    throw new Error(`${page} is not one file: ${outputs.map(({ fileName }) => fileName).join(', ')}`);
  }
  return String(html.source);
}

/** Whether loading it does something: it is a part of a page, and not of what a page shares with the rest. */
function isOfPages(id: string): boolean {
  return id.startsWith(WEB) || /[\\/]node_modules[\\/]preact[\\/]/.test(id);
}

/** The policy of a page: it allows the page's own script by its hash, and loads, frames and sends nothing. */
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
