import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inspectProject, repairsOf, turnSpanOf } from '../../src/init/index.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';

const CHECKOUT = path.join(import.meta.dirname, '../..');
const EXPRESS = JSON.stringify({ name: 'desk', type: 'module', dependencies: { express: '5' } });

const SERVER = `import express from 'express';
import { trace } from '@opentelemetry/api';
import './tracing.js';

const desk = express();
desk.use(express.json());
desk.get('/', (_, response) => response.end('up'));
desk.listen(process.env.PORT, '127.0.0.1');
`;

const TRACING = `import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] }).register();
`;

const AGENT = `import { trace } from '@opentelemetry/api';
export const takeTurn = (messages) =>
  trace.getTracer('desk').startActiveSpan('turn', async (turn) => {
    const output = 'you said ' + messages.at(-1).content;
    turn.setAttributes({ 'gen_ai.operation.name': 'invoke_agent', 'langfuse.observation.output': output }).end();
    return output;
  });
`;

/** Each of its model calls is a trace of its own. */
const SPLIT = `import { trace } from '@opentelemetry/api';

const chat = (messages, said) => {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': JSON.stringify(messages),
    'gen_ai.output.messages': JSON.stringify([said]),
  };
  trace.getTracer('desk').startSpan('chat', { attributes }).end();
};

export async function takeTurn(messages) {
  const call = { id: crypto.randomUUID(), type: 'function', function: { name: 'search', arguments: '{}' } };
  const asked = { role: 'assistant', content: null, tool_calls: [call] };
  chat(messages, asked);
  await new Promise((resolve) => setTimeout(resolve, 2));
  const content = 'you said ' + messages.at(-1).content;
  chat([...messages, asked, { role: 'tool', tool_call_id: call.id, content: '1' }], { role: 'assistant', content });
  return content;
}
`;

/** An agent that is set up, but for what `init` leaves to do by hand. */
async function unfinished(agent = AGENT) {
  const folder = await folderWith({
    'package.json': EXPRESS,
    'server.js': SERVER,
    'tracing.js': TRACING,
    'agent.js': agent,
  });
  for (const name of ['express', '@opentelemetry']) {
    await mkdir(path.join(folder.path, 'node_modules'), { recursive: true });
    await symlink(path.join(CHECKOUT, 'node_modules', name), path.join(folder.path, 'node_modules', name));
  }
  await symlink(CHECKOUT, path.join(folder.path, 'node_modules/agent-replay'));
  const init = ['init', '--yes', '--start', 'node server.js', '--url', 'http://127.0.0.1:{port}/replay'];
  expect((await command(init, { cwd: folder.path })).code).toBe(0);
  return { ...folder, read: (file: string) => readFile(path.join(folder.path, file), 'utf8') };
}

test('doctor --fix shows as a diff what is missing of what init knows, writes it when told to, and checks it by running', async () => {
  await using project = await unfinished();
  const shown = await command(['doctor', '--fix'], { cwd: project.path });
  expect(shown.code).toBe(1);
  expect(shown.stdout.slice(0, shown.stdout.indexOf('  rule '))).toMatchInlineSnapshot(`
    "--- a/tracing.js
    +++ b/tracing.js
    @@ -1,4 +1,5 @@
     import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
     import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
    +import { replaySpanProcessor } from 'agent-replay/endpoint';

    -new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] }).register();
    +new NodeTracerProvider({ spanProcessors: [replaySpanProcessor(), new BatchSpanProcessor(new OTLPTraceExporter())] }).register();

    --- a/server.js
    +++ b/server.js
    @@ -2,6 +2,8 @@
     import { trace } from '@opentelemetry/api';
     import './tracing.js';
    +import { replay } from './replay.js';

     const desk = express();
    +desk.all('/replay', replay); // before express.json()
     desk.use(express.json());
     desk.get('/', (_, response) => response.end('up'));

    Nothing was written. With --yes it is.
    "
  `);
  expect([await project.read('server.js'), await project.read('tracing.js')]).toEqual([SERVER, TRACING]);

  const mended = await command(['doctor', '--fix', '--yes'], { cwd: project.path });
  expect(await project.read('server.js')).toContain("desk.all('/replay', replay); // before express.json()\ndesk.use(");
  for (const rule of ['answers', 'traced', 'replay-metadata'])
    expect(mended.stdout).toMatch(new RegExp(`^✔ ${rule} `, 'm'));

  const again = await command(['doctor', '--fix', '--yes'], { cwd: project.path });
  expect(again.stdout).toMatch(/^Nothing is missing that --fix could write\./);
});

test('doctor --fix opens a span around the turn where its run has shown that there is none, and runs again', async () => {
  await using project = await unfinished(SPLIT);
  const mended = await command(['doctor', '--fix', '--yes'], { cwd: project.path });
  expect(
    mended.stdout.slice(mended.stdout.indexOf('--- a/agent.js'), mended.stdout.indexOf('  rule ')),
  ).toMatchInlineSnapshot(`
    "--- a/agent.js
    +++ b/agent.js
    @@ -1,3 +1,4 @@
     import { trace } from '@opentelemetry/api';
    +import * as opentelemetry from '@opentelemetry/api';

     const chat = (messages, said) => {
    @@ -10,5 +11,5 @@
     };

    -export async function takeTurn(messages) {
    +async function takeTurnInside(messages) {
       const call = { id: crypto.randomUUID(), type: 'function', function: { name: 'search', arguments: '{}' } };
       const asked = { role: 'assistant', content: null, tool_calls: [call] };
    @@ -19,2 +20,19 @@
       return content;
     }
    +
    +/** One span around the turn holds all others. */
    +export function takeTurn(...turn) {
    +  // Add 'session.id', the id of the conversation: then \`record\` pins its turns as one session.
    +  const attributes = { 'gen_ai.operation.name': 'invoke_agent' };
    +  return opentelemetry.trace.getTracer('agent').startActiveSpan('turn', { attributes }, async (span) => {
    +    try {
    +      return await takeTurnInside(...turn);
    +    } catch (error) {
    +      span.recordException(error);
    +      span.setStatus({ code: opentelemetry.SpanStatusCode.ERROR, message: String(error) });
    +      throw error;
    +    } finally {
    +      span.end();
    +    }
    +  });
    +}

    "
  `);
  for (const rule of ['one-trace', 'output']) expect(mended.stdout).toMatch(new RegExp(`^✔ ${rule} `, 'm'));
  const again = await command(['doctor', '--fix', '--yes'], { cwd: project.path });
  expect(again.stdout).toMatch(/^Nothing is missing that --fix could write\./);
});

test('a span around a turn of TypeScript, of CommonJS, and none where its function is not found', async () => {
  const around = async (
    agent: string,
    file = 'agent.js',
    imported = `{ answer as takeTurn } from './${file}'`,
    called = 'takeTurn',
  ) => {
    await using folder = await folderWith({
      'package.json': JSON.stringify({ type: 'module', dependencies: { express: '5' } }),
      'replay.js': `import ${imported};\nexport const replay = replayEndpoint(({ messages }) => ${called}(messages));\n`,
      'node_modules/@opentelemetry/api/package.json': '{}',
      [file]: agent,
    });
    const span = await turnSpanOf(await inspectProject(folder.path));
    return 'edits' in span ? span.edits.map(({ content }) => content).join() : span.obstacle;
  };
  expect(
    await around('export const answer = async (asked: string): Promise<string> => asked;\n', 'agent.ts'),
  ).toMatchInlineSnapshot(`
    "import * as opentelemetry from '@opentelemetry/api';
    const answerInside = async (asked: string): Promise<string> => asked;

    /** One span around the turn holds all others. */
    export function answer(...turn: Parameters<typeof answerInside>) {
      // Add 'session.id', the id of the conversation: then \`record\` pins its turns as one session.
      const attributes = { 'gen_ai.operation.name': 'invoke_agent' };
      return opentelemetry.trace.getTracer('agent').startActiveSpan('turn', { attributes }, async (span) => {
        try {
          return await answerInside(...turn);
        } catch (error) {
          span.recordException(error as Error);
          span.setStatus({ code: opentelemetry.SpanStatusCode.ERROR, message: String(error) });
          throw error;
        } finally {
          span.end();
        }
      });
    }
    "
  `);
  expect(
    await around('const fs = require("node:fs");\nasync function answer(asked) {}\nmodule.exports = { answer };\n'),
  ).toMatchInlineSnapshot(`
    "const opentelemetry = require('@opentelemetry/api');
    const fs = require("node:fs");
    async function answerInside(asked) {}
    module.exports = { answer };

    /** One span around the turn holds all others. */
    function answer(...turn) {
      // Add 'session.id', the id of the conversation: then \`record\` pins its turns as one session.
      const attributes = { 'gen_ai.operation.name': 'invoke_agent' };
      return opentelemetry.trace.getTracer('agent').startActiveSpan('turn', { attributes }, async (span) => {
        try {
          return await answerInside(...turn);
        } catch (error) {
          span.recordException(error);
          span.setStatus({ code: opentelemetry.SpanStatusCode.ERROR, message: String(error) });
          throw error;
        } finally {
          span.end();
        }
      });
    }
    "
  `);
  expect(
    await around(
      'export const sessions = new Map();\nexport async function handle(asked) {}\n',
      'agent.js',
      "{ sessions, handle } from './agent.js'",
      'handle',
    ),
  ).toContain('export function handle(...turn) {');
  for (const called of [
    'async ({ id, messages }) => {\n  const user = await load(id);\n  return takeTurn(user, messages);\n}',
    'async ({ id, messages }) => {\n  await load(id);\n  return handle(messages);\n}, { flush: () => load() }',
    'async ({ messages }) => {\n  const said = await handle(messages);\n  await load();\n  return said;\n}',
  ]) {
    await using folder = await folderWith({
      'package.json': '{"type":"module"}',
      'replay.js': `import { load } from './shop.js';\nimport { handle, handle as takeTurn } from './agent.js';\nreplayEndpoint(${called});\nserve(() => load());\n`,
      'agent.js':
        "import type { Span } from '@opentelemetry/api';\n// Each call is one trace.\nexport async function handle() {}\n",
      'shop.js': 'export async function load() {}\n',
      'node_modules/@opentelemetry/api/package.json': '{}',
    });
    const span = await turnSpanOf(await inspectProject(folder.path));
    expect(span).toMatchObject({ edits: [{ path: 'agent.js' }] });
    expect('edits' in span && span.edits[0]?.content.split('\n').slice(0, 2)).toEqual([
      "import type { Span } from '@opentelemetry/api';",
      "import * as opentelemetry from '@opentelemetry/api';",
    ]);
  }
  expect(await around('export function answer() {\n  return streamText();\n}\n')).toBe(
    'agent.js declares no async function answer',
  );
  expect(await around("export { answer } from './other.js';\n")).toBe('agent.js declares no async function answer');
  expect(await around("import { opentelemetry } from './spans.js';\nexport async function answer() {}\n")).toBe(
    'agent.js calls something else opentelemetry',
  );
  // Its default has no SpanStatusCode.
  const byDefault = "import opentelemetry from '@opentelemetry/api';\nexport async function answer() {}\n";
  expect(await around(byDefault)).toBe('agent.js calls something else opentelemetry');
  const own = "import * as opentelemetry from '@opentelemetry/api';\n";
  expect((await around(`${own}export async function answer() {}\n`)).split(own)).toEqual(['', expect.anything()]);
  expect(
    await around('export async function answer() {}\n', 'agent.js', "agent from './agent.js'", 'agent.answer'),
  ).toBe('replay.js calls no function that it imports by name');
});

test('where doctor --fix opens no span around the turn, it says why and gives the lines, and not that nothing is missing', async () => {
  await using project = await unfinished(
    SPLIT.replace(
      'export async function takeTurn',
      'export const takeTurn = wrapped(turn);\nasync function turn',
    ).replace('const chat', 'const wrapped = (turn) => (messages) => turn(messages);\nconst chat'),
  );
  const mended = await command(['doctor', '--fix', '--yes'], { cwd: project.path });
  expect(mended.stdout).toContain(
    'No span around the turn is written, as agent.js declares no async function takeTurn. By hand:',
  );
  expect(mended.stdout).toContain("startActiveSpan('turn'");
  expect(mended.stdout).not.toContain('Nothing is missing');
});

test('a route that --fix cannot write is named, with the line, and a server that imports what is for development is told', async () => {
  await using project = await unfinished();
  const server =
    "import { createServer } from 'node:http';\nimport './tracing.js';\ncreateServer((_, response) => response.end()).listen(process.env.PORT);\n";
  await writeFile(path.join(project.path, 'server.js'), server);
  const manifest = { type: 'module', dependencies: { express: '5' }, devDependencies: { 'agent-replay': '0.1.0' } };
  await writeFile(path.join(project.path, 'package.json'), JSON.stringify(manifest));
  const { stdout, stderr } = await command(['doctor', '--fix', '--yes'], { cwd: project.path });
  expect(stdout).toContain(
    "The route is not written, as no line here creates a server that --fix knows. Mount it in your server: import { replay } from './replay.js'; app.all('/replay', replay);",
  );
  expect(stderr.match(/agent-replay is among devDependencies, and replay\.js imports it/g)).toHaveLength(1);
});

test('an agent that imports what its file does not export: the line, and what the file exports', async () => {
  await using project = await unfinished(
    'export const sessions = new Map();\nexport async function handleMessage() {}\n',
  );
  expect(await project.read('replay.js')).toContain("import { handleMessage as takeTurn } from './agent.js';");
  const replay = (await project.read('replay.js')).replace('handleMessage as takeTurn', 'takeTurn');
  await writeFile(path.join(project.path, 'replay.js'), replay);
  const { stdout } = await command(['doctor', '--fix', '--yes'], { cwd: project.path });
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    '-> Correct replay.js, line 3: ./agent.js has no takeTurn. It exports sessions, handleMessage.',
  );
  expect(stdout.replace(/\s+/g, ' ')).toMatch(/skip needs agent `--json` names them/);
});

/** The files of a project after the repairs. */
async function repaired(files: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  await using folder = await folderWith(files);
  const repairs = await repairsOf(await inspectProject(folder.path));
  return Object.fromEntries(repairs.map(({ path: file, content }) => [file, content]));
}

test('of a module of CommonJS, a provider that processors are added to, and a server in another folder', async () => {
  const files = {
    'package.json': JSON.stringify({ dependencies: { fastify: '5' } }),
    'src/replay.mjs': '',
    'src/web/server.js': "'use strict';\nconst Fastify = require('fastify');\nconst app = Fastify({ logger: true });\n",
    'tracing.js': 'const provider = new BasicTracerProvider();\nprovider.addSpanProcessor(exporting);\n',
  };
  expect(await repaired(files)).toEqual({
    'src/web/server.js': `'use strict';
const { replay } = require('../replay.mjs');
const Fastify = require('fastify');
const app = Fastify({ logger: true });
app.post('/replay', { bodyLimit: 16 * 2 ** 20 }, replay);
`,
    'tracing.js': `const { replaySpanProcessor } = require('agent-replay/endpoint');
const provider = new BasicTracerProvider();
provider.addSpanProcessor(replaySpanProcessor());
provider.addSpanProcessor(exporting);
`,
  });
});

test('NodeSDK with a traceExporter, and Koa', async () => {
  const files = {
    'package.json': JSON.stringify({ type: 'module', dependencies: { koa: '3' } }),
    'src/replay.js': '',
    'src/index.js': "import Koa from 'koa';\nconst app = new Koa();\napp.listen(4000);\n",
    'src/telemetry.js':
      "import { NodeSDK } from '@opentelemetry/sdk-node';\nnew NodeSDK({\n  traceExporter: new OTLPTraceExporter(),\n}).start();\n",
  };
  expect(await repaired(files)).toEqual({
    'src/index.js': `import Koa from 'koa';
import { replay } from './replay.js';
const app = new Koa();
app.use((ctx, next) => (ctx.path === '/replay' ? ((ctx.respond = false), replay(ctx.req, ctx.res)) : next()));
app.listen(4000);
`,
    'src/telemetry.js': `import { NodeSDK } from '@opentelemetry/sdk-node';
import { tracing } from '@opentelemetry/sdk-node';
import { replaySpanProcessor } from 'agent-replay/endpoint';
new NodeSDK({
  spanProcessors: [replaySpanProcessor(), new tracing.BatchSpanProcessor(new OTLPTraceExporter())],
}).start();
`,
  });
});

test('NodeSDK of OpenTelemetry 3, whose processors are in a package of their own, which is then to be added', async () => {
  const files = {
    'package.json': '{ "type": "module", "dependencies": { "zod": "4.0.0" } }',
    'node_modules/@opentelemetry/sdk-trace/package.json': '{"version":"3.1.0"}',
    'other.js':
      "import { NodeSDK } from '@opentelemetry/sdk-node';\nnew NodeSDK({ traceExporter: exporter }).start();\n",
  };
  expect(await repaired(files)).toEqual({
    'other.js': `import { NodeSDK } from '@opentelemetry/sdk-node';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import { replaySpanProcessor } from 'agent-replay/endpoint';
new NodeSDK({ spanProcessors: [replaySpanProcessor(), new BatchSpanProcessor({ exporter: exporter, scheduledDelayMillis: Number(process.env.OTEL_BSP_SCHEDULE_DELAY) || 5_000 })] }).start();
`,
  });
  await using folder = await folderWith({ ...files, 'pnpm-lock.yaml': '' });
  const fixed = await command(['doctor', '--fix', '--yes'], { cwd: folder.path });
  expect(fixed.stderr).toContain(
    'note: package.json does not name all that is imported now: pnpm add @opentelemetry/sdk-trace@3.1.0',
  );
});

test('what it does not understand is left alone', async () => {
  const files = {
    'package.json': EXPRESS,
    'replay.js': '',
    'server.js': "import { app } from './app.js';\napp.all('/replay', other);\n",
    'tracing.js': 'new NodeSDK({ ...shared }).start();\n',
  };
  expect(await repaired(files)).toEqual({});
});
