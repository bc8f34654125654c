import { existsSync } from 'node:fs';
import path from 'node:path';
import { moduleEnding, type PlannedFile } from './planned-file.ts';
import type { Project } from './project.ts';

/** A processor that exports spans: its import, and the expression that makes it. */
interface Exporter {
  readonly imports: readonly string[];
  readonly made: string;
}

const LANGFUSE: Exporter = {
  imports: ["import { LangfuseSpanProcessor } from '@langfuse/otel';"],
  made: 'new LangfuseSpanProcessor()',
};

const OTLP = ['@opentelemetry/exporter-trace-otlp-proto', '@opentelemetry/exporter-trace-otlp-http'];

/** What registers processors, by its package. */
const PROVIDERS: Readonly<Record<string, { readonly name: string; readonly starts: string }>> = {
  '@opentelemetry/sdk-node': { name: 'NodeSDK', starts: 'start()' },
  '@opentelemetry/sdk-trace-node': { name: 'NodeTracerProvider', starts: 'register()' },
};

/**
 * Sets tracing up with the packages that the project has, and with the processor that knows replays. None where tracing is
 * set up already, or where packages for it are missing.
 */
export function tracingFile(project: Project): PlannedFile[] {
  const content = setUpOf(project);
  if (content === undefined) return [];
  return [
    { path: tracingPath(project), purpose: 'sets tracing up, so that replays are known in your traces', content },
  ];
}

/** What starts the file of {@link tracingFile}; undefined where there is none. */
export function tracingStart(project: Project): string | undefined {
  const [file] = tracingFile(project);
  if (file === undefined) return undefined;
  if (project.framework === 'next') {
    return `Next.js loads ${file.path} by itself: if it was there already, put replaySpanProcessor() into it, before the processor that exports.`;
  }
  const name = path.posix.basename(file.path);
  const { isTypeScript, importsTypeScript, isModule } = project;
  const from = isTypeScript && !importsTypeScript ? name.replace(/ts$/, 'js') : name;
  return isModule || isTypeScript
    ? `Make it the first line of your server: import './${from}';`
    : `Start your agent with it, before all else: node --import ./${file.path} ...`;
}

function setUpOf(project: Project): string | undefined {
  const { framework, tracingPlace, dependencies } = project;
  if (framework === 'other' || tracingPlace !== undefined) return undefined;
  const provider = Object.keys(PROVIDERS).find((name) => dependencies.has(name));
  const exporter = exporterAmong(dependencies);
  if (provider === undefined || exporter === undefined) return undefined;
  const { name, starts } = PROVIDERS[provider] as { name: string; starts: string };
  const own = agentLines(dependencies);
  const imports = [
    ...exporter.imports,
    `import { ${name} } from '${provider}';`,
    "import { replaySpanProcessor } from 'agent-replay/endpoint';",
    ...own.imports,
  ].sort();
  const made = `new ${name}({ spanProcessors: [replaySpanProcessor(), ${exporter.made}] }).${starts};`;
  return framework === 'next' ? forNext(imports, [made, ...own.lines]) : joined(imports, [made, ...own.lines]);
}

function exporterAmong(dependencies: ReadonlySet<string>): Exporter | undefined {
  if (dependencies.has('@langfuse/otel')) return LANGFUSE;
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

/** What a framework needs besides, as its package says. */
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

function joined(imports: readonly string[], lines: readonly string[]): string {
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

function tracingPath(project: Project): string {
  const { root, framework, isTypeScript, importsTypeScript } = project;
  const source = existsSync(path.join(root, 'src')) ? 'src' : '.';
  if (framework === 'next') return path.posix.join(source, `instrumentation.${isTypeScript ? 'ts' : 'js'}`);
  const ending = isTypeScript && !importsTypeScript ? 'ts' : moduleEnding(project);
  return path.posix.join(source, `replay-tracing.${ending}`);
}
