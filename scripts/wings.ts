/** Parts of the package that not every run needs. Each is a file of its own, which Node loads when it is first used. */
import path from 'node:path';
import type { Plugin } from 'rolldown';
import { ROOT } from './bundled.ts';

/**
 * Their modules, by the name of the file. A module whose name ends in `index.ts` is the door of its folder; the others
 * are packages and single files.
 */
const WINGS: Readonly<Record<string, readonly string[]>> = {
  patterns: ['re2js'],
  'json-files': ['jsonc-parser'],
  width: ['string-width'],
  diff: ['diff'],
  'huge-texts': ['src/trace/huge-bytes.ts'],
  tracing: ['src/tracing/index.ts'],
  base: ['src/checkout/index.ts', 'src/job/running/base.ts'],
  'self-test': [
    'src/compare/self-test/judge-pairs.ts',
    'src/compare/self-test/self-test.ts',
    'src/job/pins/self-test-pins.ts',
    'src/cli/self-test.ts',
  ],
  pins: [
    'src/job/accepting/accept.ts',
    'src/job/pins/recordings.ts',
    'src/job/pins/open-acceptance.ts',
    'src/job/pins/record.ts',
    'src/job/pins/sync.ts',
    'src/job/pins/kept-behaviours.ts',
    'src/session/derive.ts',
  ],
  'one-session': ['src/job/running/fork-step.ts', 'src/job/running/replay-session.ts', 'src/job/running/replayer.ts'],
  plan: ['src/cli/plan.ts'],
  merge: [
    'src/job/running/joined-report.ts',
    'src/job/merge-job.ts',
    'src/job/fold-job.ts',
    'src/job/journal/read-journal.ts',
  ],
  outputs: [
    'src/report/outputs/agent.ts',
    'src/report/outputs/html.ts',
    'src/report/outputs/junit.ts',
    'src/report/outputs/markdown.ts',
  ],
  explanations: [
    'src/compare/divergence.ts',
    'src/compare/explain/aspects.ts',
    'src/compare/explain/cause.ts',
    'src/compare/explain/explain.ts',
    'src/compare/explain/match.ts',
    'src/compare/explain/of-the-day.ts',
    'src/compare/explain/own-input.ts',
  ],
  shift: ['src/shift/assess.ts', 'src/shift/unit.ts'],
  tools: ['src/tools/endpoint.ts'],
  shards: ['src/job/running/share.ts', 'src/job/running/pin-lock.ts', 'src/job/running/unfinished.ts'],
  models: ['src/compare/model-contexts.ts', 'src/job/running/live-model.ts', 'src/job/running/offline-model.ts'],
  'failed-starts': ['src/agent/failures.ts', 'src/config/load-failure.ts', 'src/stack.ts'],
};
const ENTRY = '\0wing:';
const STAND_IN = '\0stand-in:';
const LOADER = '\0loader';

const fileOf = (module: string) => (/\.ts$/.test(module) ? path.join(ROOT, module) : module);
const modules = Object.entries(WINGS).flatMap(([wing, all]) =>
  all.map((module, index) => ({ wing, index, file: fileOf(module) })),
);

/** The entries of the wings, by name. */
export const WING_ENTRIES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(WINGS).map((wing) => [wing, ENTRY + wing]),
);

/**
 * Replaces a wing, where it is imported, by functions that load its file when they are called. The wings keep their
 * sources free of that.
 */
export const wings: Plugin = {
  name: 'wings',
  async resolveId(id, importer, options) {
    if (id === LOADER || id.startsWith(ENTRY)) return id;
    if (importer === undefined || importer.startsWith(ENTRY)) return undefined;
    const file = id.startsWith('.') ? (await this.resolve(id, importer, { ...options, skipSelf: true }))?.id : id;
    const wing = modules.findIndex((each) => each.file === file);
    return wing < 0 || isInside(importer, modules[wing]!.wing) ? undefined : `${STAND_IN}${wing}`;
  },
  async load(id) {
    if (id === LOADER) return LOAD;
    if (id.startsWith(ENTRY)) {
      return WINGS[id.slice(ENTRY.length)]
        ?.map((module, index) => `export * as part${index} from ${JSON.stringify(fileOf(module))};`)
        .join('\n');
    }
    if (!id.startsWith(STAND_IN)) return undefined;
    const { wing, index, file } = modules[Number(id.slice(STAND_IN.length))]!;
    // A constant would have to be known when it is imported, so it has no stand-in: importing it fails the build.
    const functions = Object.entries(await import(file)).filter(([, value]) => typeof value === 'function');
    const lines = functions.map(([name]) => {
      const standIn = `/* @__PURE__ */ later('./${wing}.js', 'part${index}', '${name}')`;
      return name === 'default' ? `export default ${standIn};` : `export const ${name} = ${standIn};`;
    });
    return [`import { later } from '${LOADER}';`, ...lines].join('\n');
  },
};

/** A file of a wing uses the wing's other files directly. */
function isInside(importer: string, wing: string): boolean {
  return (WINGS[wing] ?? [])
    .map(fileOf)
    .some((file) =>
      path.basename(file) === 'index.ts' ? importer.startsWith(path.dirname(file) + path.sep) : importer === file,
    );
}

/** The stand-in of one function or class. Node's `require` takes modules, too, and returns when they are loaded. */
const LOAD = `
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
export function later(file, part, name) {
  let loaded;
  const own = () => (loaded ??= require(file)[part][name]);
  return new Proxy(function () {}, {
    apply: (_, self, given) => Reflect.apply(own(), self, given),
    construct: (_, given) => Reflect.construct(own(), given),
    get: (_, key) => own()[key],
  });
}`;
