import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { exportsOf, turnFunctionOf } from './exports.ts';
import { importedAs, type PlannedFile, sourceFolder, sourcePath } from './planned-file.ts';
import type { Framework, Project } from './project.ts';
import { isPythonFramework, type PythonFramework } from './python.ts';
import { pythonEndpointFile, pythonPackageFiles, pythonSteps } from './python-files.ts';
import { beforeExporter, tracingFile, tracingStart } from './tracing-file.ts';

interface Mount {
  readonly adapter: 'nodeHandler' | 'fastifyHandler' | undefined;
  /** For the user's own server; undefined if the file is the route. */
  readonly line: string | undefined;
  /** Where that line goes; 'your server' by default. */
  readonly place?: string;
}

const MOUNTS: Readonly<Record<Exclude<Framework, 'other' | PythonFramework>, Mount>> = {
  express: { adapter: 'nodeHandler', line: "app.all('/replay', replay); // before express.json()" },
  fastify: { adapter: 'fastifyHandler', line: "app.post('/replay', { bodyLimit: 16 * 2 ** 20 }, replay);" },
  koa: {
    adapter: 'nodeHandler',
    line: "app.use((ctx, next) => (ctx.path === '/replay' ? ((ctx.respond = false), replay(ctx.req, ctx.res)) : next()));",
  },
  hono: { adapter: undefined, line: "app.all('/replay', (context) => replay(context.req.raw));" },
  node: {
    adapter: 'nodeHandler',
    place: "your server, with node:http's request and response, before the body is read",
    line: "if (request.url === '/replay') return replay(request, response); // hapi, Elysia, h3 and others: npx agent-replay help endpoint",
  },
  mastra: {
    adapter: undefined,
    place: 'new Mastra({ ... })',
    line: "server: { apiRoutes: [registerApiRoute('/replay', { method: 'ALL', handler: (context) => replay(context.req.raw) })] }",
  },
  next: { adapter: undefined, line: undefined },
};

/** What converters hand over that do not make a plain list. */
const SHAPES: Readonly<Record<string, string>> = {
  toAnthropicMessages: '{ system, messages }',
  toGeminiContents: '{ contents }',
};

/** The replay endpoint of a project in JavaScript or Python; none for other languages. */
export function endpointFile(project: Project): PlannedFile[] {
  const { framework, python, agent, tracing } = project;
  if (framework === 'other') return [];
  if (isPythonFramework(framework)) {
    return python ? [...pythonPackageFiles(project.root), pythonEndpointFile(python, framework, agent)] : [];
  }
  const { adapter, line, place = 'your server' } = MOUNTS[framework];
  const converter = agent?.converter;
  const imports = [adapter, 'replayEndpoint', converter].filter((name) => name !== undefined).join(', ');
  const taken = converter === undefined ? 'messages' : `${converter}(messages)`;
  const shape = SHAPES[converter ?? ''];
  const isOlder = tracing === 'langfuse 3';
  const [given, handed] =
    isOlder || ownExporterOfMastra(project)
      ? ['messages, sessionId, metadata', isOlder ? ', { sessionId, metadata }' : ', { ...metadata, sessionId }']
      : ['messages', ''];
  const flush = isOlder
    ? 'langfuse.flushAsync(), // else its spans wait ten seconds'
    : 'spanProcessor.forceFlush(), // where the process may sleep after the answer';
  const endpoint = `replayEndpoint(({ ${given} }) => takeTurn(${taken}${handed}), {
  token: process.env.REPLAY_TOKEN,
  // flush: () => ${flush}
})`;
  const name = framework === 'next' ? 'POST' : 'replay';
  return [
    {
      path: endpointPath(project),
      purpose: `POST /replay: takes a recorded turn again${converter === undefined ? '' : `, in messages as ${agent?.name} takes them`}`,
      content: `import { ${imports} } from 'agent-replay/endpoint';
${agentImport(project)}${shape === undefined ? '' : `// It is given ${shape}; where it takes the list alone, hand it that of them.\n`}
${line === undefined ? '' : `/** In ${place}: ${line} */\n`}export const ${name} = ${adapter === undefined ? endpoint : `${adapter}(\n  ${endpoint.replaceAll('\n', '\n  ')},\n)`};
`,
    },
  ];
}

/** Its spans are none of OpenTelemetry's, so no processor sees them. */
function ownExporterOfMastra({ framework, dependencies }: Project): boolean {
  return framework === 'mastra' && dependencies.has('@mastra/langfuse') && !dependencies.has('@mastra/otel-bridge');
}

export function endpointPath(project: Project): string {
  if (project.framework !== 'next') return sourcePath(project, 'replay');
  return path.posix.join(sourceFolder(project), `app/replay/route.${project.isTypeScript ? 'ts' : 'js'}`);
}

/** The line that imports the user's function, and what is to be changed in it. */
function agentImport(project: Project): string {
  const { file, text } = agentSource(project);
  const module = file.replace(SOURCE, '');
  // A bundler finds the module without its extension.
  const from = { next: `@/${module}`, mastra: `./${module}` }[project.framework as string] ?? importedAs(file, project);
  const name = turnFunctionOf(text ?? '');
  const others = exportsOf(text ?? '').filter((each) => each !== name);
  let why = '';
  if (text === undefined) why = `, as there is no ${from}`;
  else if (name === undefined) why = `, as ${from} exports no function by name`;
  else if (name !== 'takeTurn' && others.length > 0)
    why = `, if another of ${from} takes the turn (it also exports ${others.join(', ')})`;
  const imported = name === undefined || name === 'takeTurn' ? 'takeTurn' : `${name} as takeTurn`;
  return `// Change this line${why}: the function with which your agent takes a normal turn. There is no replay mode.
import { ${imported} } from '${from}';
`;
}

/** A file that exports `takeTurn`, or else one called agent. */
function agentSource(project: Project): { readonly file: string; readonly text?: string } {
  const folders = project.framework === 'next' ? ['.', 'src'] : [sourceFolder(project)];
  const files = folders.flatMap((folder) => {
    const place = path.join(project.root, folder);
    const entries = existsSync(place) ? readdirSync(place, { withFileTypes: true }) : [];
    return entries
      .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
      .map(({ name }) => ({ file: name, text: readFileSync(path.join(place, name), 'utf8') }));
  });
  const taking = files.find(({ text }) => DECLARES_TURN.test(text) && turnFunctionOf(text) === 'takeTurn');
  const agent = files.find(({ file }) => file.replace(SOURCE, '') === 'agent');
  return taking ?? agent ?? { file: `agent.${project.isTypeScript ? 'ts' : 'js'}` };
}

const SOURCE = /(?<!\.d)\.[cm]?[jt]sx?$/;
/** A file that only hands it on, as an index does, may also start the server. */
const DECLARES_TURN = /\b(?:function\*?|const|let|var) takeTurn\b/;

/** What users must still do once the files exist, in order; computed before they exist. */
export function remainingSteps(project: Project): string[] {
  const { framework, python, agent, build, command } = project;
  if (framework === 'other') {
    const named = agent === undefined ? '' : ` (yours is built with ${agent.name}: docs/frameworks.md)`;
    return [`Give your agent POST /replay: docs/endpoint.md has the contract${named}.`];
  }
  if (isPythonFramework(framework)) return python ? pythonSteps(python, framework) : [];
  const mounted = mountLines(project);
  const own = `In ${endpointPath(project)}, check that takeTurn is the function with which your agent takes a turn, and call it as it wants to be called (one that keeps conversations itself: docs/endpoint.md, "The memory of a session").`;
  const mount = mounted === undefined ? [] : [mounted.step];
  const built =
    build === undefined ? [] : [`Each run builds your agent, so that none replays an old one: ${build} && ${command}`];
  const traced = project.tracingPlace?.isDone === true ? [] : tracingSteps(project);
  return [own, ...mount, ...traced, ...built];
}

/** Undefined where the file is the route, or Python. */
export function mountLines(
  project: Project,
): { readonly imported: string; readonly line: string; readonly step: string } | undefined {
  const { framework } = project;
  if (framework === 'other' || isPythonFramework(framework)) return undefined;
  const { line, place = 'your server' } = MOUNTS[framework];
  const imported = importOf(project);
  return line === undefined ? undefined : { imported, line, step: `Mount it in ${place}: ${imported} ${line}` };
}

function importOf(project: Project): string {
  const { framework, isTypeScript, isModule } = project;
  if (framework === 'mastra') return "import { replay } from './replay';";
  const from = importedAs(endpointPath(project), project);
  return isTypeScript || isModule ? `import { replay } from '${from}';` : `const { replay } = require('${from}');`;
}

function tracingSteps(project: Project): string[] {
  const { framework, tracing, tracingPlace } = project;
  if (tracing === 'langfuse 3') {
    return [
      "Give your trace what the endpoint hands to takeTurn: langfuse.trace({ name: 'turn', sessionId, metadata }).",
    ];
  }
  const [file] = tracingFile(project);
  if (file !== undefined) return tracingStart(project, file);
  if (framework === 'mastra' && tracingPlace === undefined) {
    return [
      ownExporterOfMastra(project)
        ? "Give a replay's metadata to agent.generate(messages, { tracingOptions: { metadata } }): docs/frameworks.md has the lines."
        : 'Trace Mastra through @mastra/otel-bridge: docs/frameworks.md has the lines, and the packages.',
    ];
  }
  if (tracingPlace !== undefined) {
    const { file, line } = tracingPlace;
    return [beforeExporter(`In ${file}, line ${line}`)];
  }
  return tracing === undefined
    ? [
        'Trace your agent, with OpenTelemetry or a Langfuse SDK: `npx agent-replay help frameworks` has the lines for yours. Once the packages are installed, init writes what sets them up.',
      ]
    : [beforeExporter('Where tracing is set up')];
}
