/** What both bundles share: how they load Node's own modules, and what they must say about the packages inside. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { OutputAsset, OutputChunk, Plugin } from 'rolldown';

export const ROOT: string = path.join(import.meta.dirname, '..');

/** Stands for `node:http` in a bundle. */
export const HTTP_MODULE = /^\0node:http$/;

/**
 * Loads `node:http` by `require`. An import makes Node read all of its exports, for which Node loads its own undici: 30
 * ms for classes that we do not use.
 */
export const withoutNodesUndici: Plugin = {
  name: 'without-nodes-undici',
  resolveId: (id) => (id === 'node:http' ? '\0node:http' : undefined),
  load: (id) => (HTTP_MODULE.test(id) ? "module.exports = process.getBuiltinModule('node:http');" : undefined),
};

/** A description of a setting, in a schema. */
const DESCRIBED = /(\.meta\(\{\s*description:\s*)('(?:[^'\\]|\\.)*'|`[^`]*`)/g;

/** Leaves out what only the files made of the schemas say: no run reads it, and the help only what is `kept`. */
export const withoutDescriptions = (kept: readonly string[] = []): Plugin => ({
  name: 'without-descriptions',
  transform: (code, id) =>
    id.startsWith(path.join(ROOT, 'src'))
      ? code.replace(DESCRIBED, (all, head: string, text: string) =>
          kept.includes(text.slice(1, -1).replaceAll(/\\(.)/g, '$1')) ? all : `${head}''`,
        )
      : undefined,
});

/**
 * Replaces undici's entry, which also loads mocks, caches, WebSockets and more. The last lines do what that entry does.
 */
const UNDICI = `
import api from 'undici/lib/api/index.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { getGlobalDispatcher } from 'undici/lib/global.js';
export { fetch } from 'undici/lib/web/fetch/index.js';
export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
export { Agent, EnvHttpProxyAgent, Pool };
Object.assign(Dispatcher.prototype, api);
export function request(url, { dispatcher = getGlobalDispatcher(), method = 'GET', ...options } = {}) {
  const { origin, pathname, search } = new URL(url);
  return dispatcher.request({ ...options, method, origin, path: pathname + search });
}`;
/** An experiment of undici that is loaded only if an environment variable asks for it: 165 kB. */
const MILO = /[\\/]milo[\\/](?:no-)?simd\.js$/;

/** Cuts undici down to the parts that we use. */
export const partsOfUndici: Plugin = {
  name: 'parts-of-undici',
  resolveId(id, importer) {
    if (id === 'undici') return '\0undici';
    if (MILO.test(id)) return '\0milo';
    return importer === '\0undici' ? path.join(ROOT, 'node_modules', id) : undefined;
  },
  load(id) {
    if (id === '\0undici') return UNDICI;
    return id === '\0milo' ? 'module.exports = undefined;' : undefined;
  },
};

/** Leaves out undici's `fetch`, and with it the forms that only `fetch` sends: the command makes plain requests. */
export const withoutFetch: Plugin = {
  name: 'without-fetch',
  resolveId: (id) => (/[\\/]web[\\/](?:fetch|webidl)/.test(id) ? '\0no-fetch' : undefined),
  load: (id) => (id === '\0no-fetch' ? 'exports.webidl = { is: { FormData: () => false } };' : undefined),
};

/**
 * Keeps one of undici's two HTTP/1 parsers: the one for processors with SIMD instructions, which every runner of GitHub
 * has.
 */
export const oneParser: Plugin = {
  name: 'one-parser',
  resolveId: (id, importer = '') =>
    id.endsWith('/llhttp/llhttp-wasm.js')
      ? path.resolve(path.dirname(importer), '../llhttp/llhttp_simd-wasm.js')
      : undefined,
};

/** Fixes the environment variable at build time, so that nobody can ask for the part that was left out. */
export const NEVER = { 'process.env.UNDICI_USE_MILO': '"0"' };

/** One package in a bundle, the project itself included. */
export interface BundledPackage {
  readonly name: string;
  /** Characters of its modules in the bundle, before minifying. */
  readonly size: number;
  readonly folder: string;
}

/**
 * Packages inside the pages. A bundle holds the pages as text, so it cannot see these packages itself; `npm run
 * build:web` refuses any other.
 */
export const PACKAGES_OF_PAGES: readonly string[] = ['diff', 'preact'];

/** The same packages, for the licences and the bill of materials of a bundle with pages. */
export function packagesInPages(): BundledPackage[] {
  return PACKAGES_OF_PAGES.map((name) => ({ name, size: 0, folder: path.join(ROOT, 'node_modules', name) }));
}

/** Where a package begins, in the path of a module. The rules of gitleaks are no package of npm: they lie among the sources. */
const PACKAGE = /^.*[\\/](?:node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+|src[\\/]redaction[\\/]gitleaks)(?=[\\/])/;

/** The packages in a bundle, largest first. */
export function packagesIn(output: readonly (OutputChunk | OutputAsset)[]): BundledPackage[] {
  const sizes = new Map<string, number>();
  const modules = output.flatMap((file) => (file.type === 'chunk' ? Object.entries(file.modules) : []));
  for (const [module, { renderedLength }] of modules) {
    if (renderedLength === 0 || !path.isAbsolute(module)) continue;
    const [folder = ROOT] = PACKAGE.exec(module) ?? [];
    sizes.set(folder, (sizes.get(folder) ?? 0) + renderedLength);
  }
  return [...sizes]
    .map(([folder, size]) => ({ name: manifestOf(folder).name, size, folder }))
    .sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
}

/** The licence texts. The licences require that the text goes wherever the code goes. */
export function licencesOf(packages: readonly BundledPackage[]): string {
  const texts = othersIn(packages).map(({ folder }) => {
    const { name, version, license } = manifestOf(folder);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text =
      file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
    return [`${name} ${version}`, license, '', text].join('\n').trim();
  });
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** The bill of materials, in CycloneDX. npm's own lists what is installed, and does not see what is bundled. */
export function materialsOf(packages: readonly BundledPackage[]): string {
  const component = (folder: string) => {
    const { name, version, license, purl = `pkg:npm/${name.replace('@', '%40')}@${version}` } = manifestOf(folder);
    return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [{ license: { id: license } }] };
  };
  const own = component(ROOT);
  const components = othersIn(packages).map(({ folder }) => component(folder));
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: own },
    components,
    dependencies: [{ ref: own['bom-ref'], dependsOn: components.map(({ purl }) => purl) }],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** Each once: scripts and pages may bundle the same one. */
function othersIn(packages: readonly BundledPackage[]): BundledPackage[] {
  const byFolder = new Map(packages.map((each) => [each.folder, each]));
  byFolder.delete(ROOT);
  return [...byFolder.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly type: string;
  readonly license: string;
  /** Of what does not come from npm. */
  readonly purl?: string;
}

export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
}
