import { existsSync } from 'node:fs';
import path from 'node:path';
import type { PlannedFile } from './files.ts';
import type { Framework, Project } from './project.ts';

/** How a framework takes the route; `file` is undefined where the file is the route. */
interface Mount {
  readonly adapter: 'nodeHandler' | 'fastifyHandler' | undefined;
  /** One line of the user's own server. */
  readonly line: string | undefined;
}

const MOUNTS: Readonly<Record<Exclude<Framework, 'other'>, Mount>> = {
  express: { adapter: 'nodeHandler', line: "app.all('/replay', replay); // before express.json()" },
  fastify: { adapter: 'fastifyHandler', line: "app.post('/replay', { bodyLimit: 16 * 2 ** 20 }, replay);" },
  hono: { adapter: undefined, line: "app.all('/replay', (context) => replay(context.req.raw));" },
  node: { adapter: 'nodeHandler', line: "if (request.url === '/replay') return replay(request, response);" },
  next: { adapter: undefined, line: undefined },
};

/** The replay endpoint of a project in JavaScript; none where the language is another. */
export function endpointFile(project: Project): PlannedFile[] {
  const { framework, isTypeScript } = project;
  if (framework === 'other') return [];
  const { adapter, line } = MOUNTS[framework];
  const folder = folderOf(project);
  const imports = [...(adapter === undefined ? [] : [adapter]), 'replayEndpoint'].join(', ');
  // A bundler finds the module without its ending; Node.js wants it.
  const from = framework === 'next' ? '@/agent' : './agent.js';
  const endpoint = `replayEndpoint(({ messages }) => takeTurn(messages), {
  token: process.env.REPLAY_TOKEN,
  // flush: () => spanProcessor.forceFlush(), // where the process may sleep after the answer
})`;
  const name = framework === 'next' ? 'POST' : 'replay';
  return [
    {
      path: path.posix.join(folder, `${framework === 'next' ? 'route' : 'replay'}.${isTypeScript ? 'ts' : 'js'}`),
      purpose: 'POST /replay: takes a recorded turn again',
      content: `import { ${imports} } from 'agent-replay/endpoint';
// Change this line: the function with which your agent takes a normal turn. There is no replay mode.
import { takeTurn } from '${from}';

${line === undefined ? '' : `/** In your server: ${line} */\n`}export const ${name} = ${adapter === undefined ? endpoint : `${adapter}(\n  ${endpoint.replaceAll('\n', '\n  ')},\n)`};
`,
    },
  ];
}

function folderOf({ root, framework }: Project): string {
  const source = existsSync(path.join(root, 'src')) ? 'src' : '.';
  return framework === 'next' ? path.posix.join(source, 'app/replay') : source;
}

/** What is left to do by hand once the files are there, in order. */
export function remainingSteps({ framework, tracing }: Project): string[] {
  if (framework === 'other') return ['Give your agent POST /replay: docs/endpoint.md has the contract, and Python.'];
  const { line } = MOUNTS[framework];
  const own = 'In the endpoint file, import the function with which your agent takes a turn.';
  const mount = line === undefined ? [] : [`Mount it in your server: ${line}`];
  const traced =
    tracing === undefined
      ? 'Trace your agent, with OpenTelemetry or a Langfuse SDK: docs/endpoint.md, "Tracing".'
      : 'Where tracing is set up, put replaySpanProcessor() before the processor that exports.';
  return [own, ...mount, traced];
}
