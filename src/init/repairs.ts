import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../files/index.ts';
import { actionFiles } from './action-files.ts';
import { endpointPath, mountLines } from './endpoint-file.ts';
import type { PlannedFile } from './planned-file.ts';
import type { Framework, Project } from './project.ts';
import { ACTION } from './published.ts';
import type { Source } from './sources.ts';
import { ownSources } from './tracing-place.ts';

/** The line that creates a server, with its variable; only where it is whole. */
const CREATED: Partial<Record<Framework, RegExp>> = {
  express: /^[ \t]*(?:export )?(?:const|let|var) (\w+) = express\(\);?.*$/m,
  koa: /^[ \t]*(?:export )?(?:const|let|var) (\w+) = new Koa\(\);?.*$/m,
  hono: /^[ \t]*(?:export )?(?:const|let|var) (\w+) = new Hono(?:<.*>)?\(\);?.*$/m,
  fastify: /^[ \t]*(?:export )?(?:const|let|var) (\w+) = [fF]astify\(.*\);?.*$/m,
};

/**
 * What `init` tells people to do by hand, as edits of their files, as far as it is missing: the processor where tracing is set up,
 * the route in the server, what both import, and the copy of the action that a workflow uses.
 */
export async function repairsOf(project: Project): Promise<PlannedFile[]> {
  const sources = await ownSources(project.root);
  const repairs = [...withProcessor(project, sources), ...withRoute(project, sources)];
  return (await usesCopy(project)) ? [...repairs, ...actionFiles(project)] : repairs;
}

/** The file of a server that imports of agent-replay what is installed for development alone. */
export async function lackingInProduction({ root, isForDevelopment }: Project): Promise<string | undefined> {
  if (!isForDevelopment) return undefined;
  return (await ownSources(root)).find(({ text }) => text.includes('agent-replay/endpoint'))?.file;
}

function withProcessor({ root, tracingPlace }: Project, sources: readonly Source[]): PlannedFile[] {
  const source = sources.find(({ file }) => file === tracingPlace?.file);
  if (tracingPlace === undefined || tracingPlace.isDone || source === undefined) return [];
  const lines = source.text.split('\n');
  const set = lines[tracingPlace.line - 1] ?? '';
  const added = set
    .replace(/\bspanProcessors\s*:\s*\[/, '$&replaySpanProcessor(), ')
    .replace(/^(\s*)([\w.]+)\.addSpanProcessor\(/, '$1$2.addSpanProcessor(replaySpanProcessor());\n$&');
  const text = added === set ? withoutExporter(source.text, root) : lines.with(tracingPlace.line - 1, added).join('\n');
  if (text === source.text) return [];
  const imported = "import { replaySpanProcessor } from 'agent-replay/endpoint';";
  return [edit(source, withImport(text, imported), 'every span of a replay says which replay it belongs to')];
}

/**
 * `NodeSDK` leaves its `traceExporter` out where there are `spanProcessors`, so the exporter goes there. OpenTelemetry's SDK 3 has
 * processors in a package of its own, and they read no environment.
 */
function withoutExporter(text: string, root: string): string {
  const isThird = existsSync(path.join(root, 'node_modules/@opentelemetry/sdk-trace'));
  const [exporting, imported] = isThird
    ? [
        'new BatchSpanProcessor({ exporter: $1, scheduledDelayMillis: Number(process.env.OTEL_BSP_SCHEDULE_DELAY) || 5_000 })',
        "import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';",
      ]
    : ['new tracing.BatchSpanProcessor($1)', "import { tracing } from '@opentelemetry/sdk-node';"];
  const processors = `spanProcessors: [replaySpanProcessor(), ${exporting}]`;
  const given = text.replace(/\btraceExporter\s*:\s*(new \w+\([^()]*\)|\w+)/, processors);
  return given === text ? text : withImport(given, imported);
}

/** The step that a person takes where the route is mounted nowhere and no edit of ours can do it. */
export async function routeByHand(project: Project): Promise<string | undefined> {
  const sources = await ownSources(project.root);
  const isLeft = isRouteMissing(project, sources) && withRoute(project, sources).length === 0;
  return isLeft ? mountLines(project)?.step : undefined;
}

function isRouteMissing(project: Project, sources: readonly Source[]): boolean {
  const endpoint = endpointPath(project);
  const isMounted = sources.some(({ file, text }) => file !== endpoint && /['"`]\/replay['"`]/.test(text));
  return !isMounted && existsSync(path.join(project.root, endpoint));
}

function withRoute(project: Project, sources: readonly Source[]): PlannedFile[] {
  const endpoint = endpointPath(project);
  const mount = mountLines(project);
  const others = sources.filter(({ file }) => file !== endpoint);
  if (mount === undefined || !isRouteMissing(project, sources)) return [];
  const pattern = CREATED[project.framework];
  const source = pattern && others.find(({ text }) => pattern.test(text));
  if (pattern === undefined || source === undefined) return [];
  const from = path.posix.relative(path.posix.dirname(source.file), path.posix.dirname(endpoint)) || '.';
  const imported = mount.imported.replace("'./", `'${from.startsWith('.') ? from : `./${from}`}/`);
  const text = source.text.replace(
    pattern,
    (line: string, app: string) => `${line}\n${/^[ \t]*/.exec(line)?.[0]}${mount.line.replace(/^app\b/, app)}`,
  );
  return [edit(source, withImport(text, imported), 'takes replays')];
}

/** After the last import, as what sets tracing up has to stay the first; as `require` in a script. */
export function withImport(text: string, line: string): string {
  const last = [...text.matchAll(/^import\b[^;'"]*['"][^'"]+['"].*$/gm)].at(-1);
  const required = line.replace(/^import (?:\* as )?(.*) from (.*);$/, 'const $1 = require($2);');
  const at = last === undefined ? text.search(/^(?!#!|['"]use |[ \t]*$)/m) : last.index + last[0].length + 1;
  return `${text.slice(0, at)}${/^(?:import|export)\b/m.test(text) ? line : required}\n${text.slice(at)}`;
}

export function edit({ file, text }: Source, content: string, purpose: string): PlannedFile {
  return { path: file, purpose, content, replaces: text };
}

async function usesCopy({ repository }: Project): Promise<boolean> {
  const folder = path.join(repository.root, '.github/workflows');
  const files = (await readdir(folder).catch(() => [])).map((file) => path.join(folder, file));
  const texts = await Promise.all(files.map((file) => readTextFile(file).catch(() => '')));
  return texts.some((text) => text.includes(`uses: ${ACTION}`));
}
