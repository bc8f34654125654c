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

const OPENTELEMETRY = '@opentelemetry/api';

/** The line that creates a server, with its variable; only where it is whole. */
const CREATED: Partial<Record<Framework, RegExp>> = {
  express: /^[ \t]*(?:export )?(?:const|let|var) (\w+) = express\(\);?.*$/m,
  koa: /^[ \t]*(?:export )?(?:const|let|var) (\w+) = new Koa\(\);?.*$/m,
  hono: /^[ \t]*(?:export )?(?:const|let|var) (\w+) = new Hono(?:<.*>)?\(\);?.*$/m,
  fastify: /^[ \t]*(?:export )?(?:const|let|var) (\w+) = [fF]astify\(.*\);?.*$/m,
};

/**
 * What `init` tells people to do by hand, as edits of their files, as far as it is missing: the processor where tracing is set up,
 * the route in the server, and the copy of the action that a workflow uses.
 */
export async function repairsOf(project: Project): Promise<PlannedFile[]> {
  const sources = await ownSources(project.root);
  const repairs = [...withProcessor(project, sources), ...withRoute(project, sources)];
  return (await usesCopy(project)) ? [...repairs, ...actionFiles(project)] : repairs;
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

function withRoute(project: Project, sources: readonly Source[]): PlannedFile[] {
  const endpoint = endpointPath(project);
  const mount = mountLines(project);
  const others = sources.filter(({ file }) => file !== endpoint);
  const isMounted = others.some(({ text }) => /['"`]\/replay['"`]/.test(text));
  if (mount === undefined || isMounted || !existsSync(path.join(project.root, endpoint))) return [];
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

/**
 * For an agent whose requests make several traces: the function that the endpoint imports is renamed, and one of its
 * name opens the span. Nothing where no `async` function of that name stands at the top of a file, or OpenTelemetry's
 * API cannot be imported.
 */
export async function turnSpanOf(project: Project): Promise<PlannedFile[]> {
  const sources = await ownSources(project.root);
  const endpoint = sources.find(({ file }) => file === endpointPath(project));
  const imported = /\bimport \{ (?:(\w+) as )?takeTurn \} from '(\.[^']+?)(?:\.[cm]?[jt]s)?'/.exec(
    endpoint?.text ?? '',
  );
  if (endpoint === undefined || imported?.[2] === undefined) return [];
  const [, name = 'takeTurn', from] = imported;
  const place = path.posix.join(path.posix.dirname(endpoint.file), from);
  const source = sources.find(({ file }) => file.replace(/\.[cm]?[jt]sx?$/, '') === place);
  const declared = new RegExp(
    `^(export )?(async function ${name}(?=\\()|const ${name}(?=(?:: [^=]{0,300})? = async\\b))`,
    'm',
  );
  const exported = source && declared.exec(source.text);
  const needed = source?.text.includes(OPENTELEMETRY) ? '' : `import { trace } from '${OPENTELEMETRY}';`;
  const isThere = existsSync(path.join(project.root, 'node_modules', OPENTELEMETRY));
  if (source === undefined || !exported || !isThere || (needed !== '' && /\btrace\b/.test(source.text))) return [];
  const inside = `${name}Inside`;
  // By its attribute Langfuse's processor, too, takes the span for one to export.
  const typed = /ts$/.test(source.file) ? `: Parameters<typeof ${inside}>` : '';
  const around = `
/** One span around the turn holds all others. */
${exported[1] ?? ''}function ${name}(...turn${typed}) {
  const attributes = { 'gen_ai.operation.name': 'invoke_agent' };
  return trace.getTracer('agent').startActiveSpan('turn', { attributes }, async (span) => {
    try {
      return await ${inside}(...turn);
    } finally {
      span.end();
    }
  });
}
`;
  const text = `${source.text.replace(declared, `$2Inside`).trimEnd()}\n${around}`;
  return [edit(source, needed === '' ? text : withImport(text, needed), 'one span around the turn')];
}

/** After the last import, as what sets tracing up has to stay the first; as `require` in a script. */
function withImport(text: string, line: string): string {
  const last = [...text.matchAll(/^import\b[^;'"]*['"][^'"]+['"].*$/gm)].at(-1);
  const required = line.replace(/^import (\{.*\}) from (.*);$/, 'const $1 = require($2);');
  const at = last === undefined ? text.search(/^(?!#!|['"]use |[ \t]*$)/m) : last.index + last[0].length + 1;
  return `${text.slice(0, at)}${/^(?:import|export)\b/m.test(text) ? line : required}\n${text.slice(at)}`;
}

function edit({ file, text }: Source, content: string, purpose: string): PlannedFile {
  return { path: file, purpose, content, replaces: text };
}

async function usesCopy({ repository }: Project): Promise<boolean> {
  const folder = path.join(repository.root, '.github/workflows');
  const files = (await readdir(folder).catch(() => [])).map((file) => path.join(folder, file));
  const texts = await Promise.all(files.map((file) => readTextFile(file).catch(() => '')));
  return texts.some((text) => text.includes(`uses: ${ACTION}`));
}
