import { existsSync } from 'node:fs';
import path from 'node:path';
import { importedAs, type PlannedFile, sourceFolder, sourcePath } from './planned-file.ts';
import type { Project } from './project.ts';

/** A processor that exports spans: its import, and the expression that creates it. */
interface Exporter {
  readonly imports: readonly string[];
  readonly made: string;
}

const LANGFUSE: Exporter = {
  imports: ["import { LangfuseSpanProcessor } from '@langfuse/otel';"],
  made: 'new LangfuseSpanProcessor()',
};

const FILTERED = ["import { isDefaultExportSpan, LangfuseSpanProcessor } from '@langfuse/otel';"];

/** Without these packages Mastra's spans do not reach OpenTelemetry. */
const BRIDGED = ['@mastra/observability', '@mastra/otel-bridge'];

const OTLP = ['@opentelemetry/exporter-trace-otlp-proto', '@opentelemetry/exporter-trace-otlp-http'];

/** What registers processors. */
interface Provider {
  readonly imports: readonly string[];
  readonly before: string;
  readonly after: string;
}

/** By its package. Genkit creates a provider of its own. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  genkit: {
    imports: ["import 'genkit';", "import { enableTelemetry } from 'genkit/tracing';"],
    before: 'enableTelemetry({',
    after: '});',
  },
  '@opentelemetry/sdk-node': {
    imports: ["import { NodeSDK } from '@opentelemetry/sdk-node';"],
    before: 'new NodeSDK({',
    after: '}).start();',
  },
  '@opentelemetry/sdk-trace-node': {
    imports: ["import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';"],
    before: 'new NodeTracerProvider({',
    after: '}).register();',
  },
};

/**
 * A file that sets tracing up with the project's packages and the processor for replays. None if tracing is already set up,
 * or packages for it are missing.
 */
export function tracingFile(project: Project): PlannedFile[] {
  const content = setUpOf(project);
  if (content === undefined) return [];
  return [
    { path: tracingPath(project), purpose: 'sets tracing up, so that replays are known in your traces', content },
  ];
}

/** The line that starts that file; none if it starts by itself. */
export function tracingStart(project: Project, file: PlannedFile): string[] {
  if (project.framework === 'mastra') {
    return [
      "Give Mastra the tracing: import { tracedObservability } from './replay-tracing'; new Mastra({ observability: tracedObservability(), ... })",
    ];
  }
  if (project.framework === 'next') {
    return existsSync(path.join(project.root, file.path)) ? [beforeExporter(`In ${file.path}`)] : [];
  }
  const { agent, dependencies, isModule, isTypeScript } = project;
  const isWhole = agent === undefined || dependencies.has('genkit') || agentLines(dependencies).lines.length > 0;
  return [
    isModule || isTypeScript
      ? `Make it the first line of your server: import '${importedAs(file.path, project)}';`
      : `Start your agent with it, before all else: node --import ./${file.path} ...`,
    ...(isWhole
      ? []
      : [`Have the calls of the model traced, too: docs/frameworks.md has the lines for ${agent.name}.`]),
  ];
}

export function beforeExporter(where: string): string {
  return `${where}, put replaySpanProcessor() (from agent-replay/endpoint) before the processor that exports.`;
}

function setUpOf(project: Project): string | undefined {
  const { framework, tracingPlace, dependencies } = project;
  if (framework === 'other' || tracingPlace !== undefined) return undefined;
  const [, provider] = Object.entries(PROVIDERS).find(([name]) => dependencies.has(name)) ?? [];
  const exporter = exporterAmong(dependencies);
  if (provider === undefined || exporter === undefined) return undefined;
  if (framework === 'mastra' && !BRIDGED.every((name) => dependencies.has(name))) return undefined;
  // Langfuse's processor does not send the spans of Next.js, so they are not counted either.
  const isFiltered = framework === 'next' && exporter === LANGFUSE;
  const own = agentLines(dependencies);
  const imports = [
    ...(isFiltered ? FILTERED : exporter.imports),
    ...provider.imports,
    "import { replaySpanProcessor } from 'agent-replay/endpoint';",
    ...own.imports,
  ].sort(byText);
  const replays = `replaySpanProcessor(${isFiltered ? '{ exports: isDefaultExportSpan }' : ''})`;
  const processors = `spanProcessors: [${replays}, ${exporter.made}]`;
  const { before, after } = provider;
  const made = isFiltered ? `${before}\n    ${processors},\n  ${after}` : `${before} ${processors} ${after}`;
  if (framework === 'mastra') return forMastra(imports, made);
  return framework === 'next' ? forNext(imports, [made, ...own.lines]) : renderModule(imports, [made, ...own.lines]);
}

function byText(one: string, other: string): number {
  return one.toLowerCase() < other.toLowerCase() ? -1 : 1;
}

function exporterAmong(dependencies: ReadonlySet<string>): Exporter | undefined {
  // Genkit's spans are from OpenTelemetry's SDK 1, which Langfuse's processor does not accept.
  if (dependencies.has('@langfuse/otel') && !dependencies.has('genkit')) return LANGFUSE;
  const exporter = OTLP.find((name) => dependencies.has(name));
  const base = ['@opentelemetry/sdk-trace-node', '@opentelemetry/sdk-trace-base'].find((name) =>
    dependencies.has(name),
  );
  if (exporter === undefined || base === undefined) return undefined;
  return {
    imports: [`import { OTLPTraceExporter } from '${exporter}';`, `import { BatchSpanProcessor } from '${base}';`],
    made: 'new BatchSpanProcessor(new OTLPTraceExporter())',
  };
}

/** What else a framework needs, according to its package. */
function agentLines(dependencies: ReadonlySet<string>): { imports: string[]; lines: string[] } {
  if (!dependencies.has('ai') || !dependencies.has('@langfuse/vercel-ai-sdk')) return { imports: [], lines: [] };
  return {
    imports: [
      "import { LangfuseVercelAiSdkIntegration } from '@langfuse/vercel-ai-sdk';",
      "import { registerTelemetry } from 'ai';",
    ],
    lines: ['registerTelemetry(new LangfuseVercelAiSdkIntegration());'],
  };
}

function renderModule(imports: readonly string[], lines: readonly string[]): string {
  return `${imports.join('\n')}\n\n${lines.join('\n')}\n`;
}

/** Next.js loads its instrumentation by itself, in each of its runtimes. */
function forNext(imports: readonly string[], lines: readonly string[]): string {
  const loaded = imports.map((each) => each.replace(/^import (\{.*\}) from (.*);$/, '  const $1 = await import($2);'));
  return `export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
${loaded.join('\n')}

${lines.map((line) => `  ${line}`).join('\n')}
}
`;
}

/** A bridge turns Mastra's spans into OpenTelemetry's. Its bundler drops modules imported only for their side effects. */
function forMastra(imports: readonly string[], made: string): string {
  const bridge = [
    "import { Observability } from '@mastra/observability';",
    "import { OtelBridge } from '@mastra/otel-bridge';",
  ];
  return `${[...bridge, ...imports].sort(byText).join('\n')}

/** For \`new Mastra({ observability: tracedObservability() })\`: Mastra leaves out a module that nobody calls. */
export function tracedObservability() {
  ${made}
  return new Observability({ configs: { default: { serviceName: 'agent', bridge: new OtelBridge() } } });
}
`;
}

function tracingPath(project: Project): string {
  if (project.framework !== 'next') return sourcePath(project, 'replay-tracing');
  return path.posix.join(sourceFolder(project), `instrumentation.${project.isTypeScript ? 'ts' : 'js'}`);
}
