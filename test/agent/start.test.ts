import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { agentCrashed, startAgent } from '../../src/agent/index.ts';
import { startProof, wireNames } from '../../src/contract/index.ts';
import { AgentReplayError } from '../../src/errors.ts';
import { folderWith } from '../config/folder.ts';
import { PATIENCE_MS, withinTime } from '../patience.ts';
import { messageFrom, wholeMessage } from '../whole-message.ts';
import { fixture, freePort, processesWith, run } from './processes.ts';

type Options = Parameters<typeof startAgent>[0];

/** Options for a fixture program on a free port. */
async function options(program: string, more: Partial<Options> = {}) {
  const port = await freePort();
  const { env, ...rest } = more;
  const url = `http://127.0.0.1:${port}/replay`;
  return { command: run(program), url, env: { PORT: `${port}`, NODE: process.execPath, ...env }, ...rest };
}

/** The error with which a start fails, as one text with its evidence and hint. */
async function failure(start: Promise<AsyncDisposable>): Promise<{ code: string; text: string; whole: string }> {
  const error = await start.then(
    async (agent) => {
      await agent[Symbol.asyncDispose]();
      throw new Error('it started');
    },
    (error: unknown) => error,
  );
  if (!(error instanceof AgentReplayError)) throw error;
  const text = [error.message, ...error.evidence, error.hint].join('\n');
  return { code: error.code, text, whole: wholeMessage(error) };
}

async function occupied(host: string, at = 0): Promise<{ server: Server; port: number } & AsyncDisposable> {
  const server = createServer((_, response) => response.end('somebody else'));
  await once(server.listen(at, host), 'listening');
  const close = async () => void (await once(server.close(), 'close'));
  return { server, port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close };
}

const FIRST_TRY_MS = 500;

/** How an agent fails that is never ready; `words` of that are of an agent that came up within the timeout. */
function neverReady(configured: Options, words: RegExp) {
  return withinTime(
    FIRST_TRY_MS,
    async (timeout) => ({ ...(await failure(startAgent({ ...configured, timeout }))), timeout }),
    ({ text }) => words.test(text),
  );
}

test('an agent is ready as soon as it listens', async () => {
  await using folder = await folderWith({});
  const listenNow = path.join(folder.path, 'listen-now');
  const inVain = 20;
  let refused = 0;
  const onRefused = () => void (++refused === inVain && writeFileSync(listenNow, ''));
  subscribe('http.client.request.error', onRefused);
  await using agent = await startAgent(await options('listens-when-told.js', { env: { LISTEN_NOW: listenNow } }));
  unsubscribe('http.client.request.error', onRefused);
  expect(refused).toBeGreaterThanOrEqual(inVain);
  // The first request that it could answer is the one by which it was noticed.
  await expect.poll(() => agent.output.tail(5).filter((line) => line === 'asked')).toEqual(['asked']);
});

test('at first the origin is asked every few milliseconds', async () => {
  const probes = 30;
  await using busy = await occupied('127.0.0.1');
  await using other = await occupied('127.0.0.1');
  let asked = 0;
  busy.server.removeAllListeners('request');
  busy.server.on('request', (_, response) => response.writeHead(++asked < probes ? 503 : 200).end());
  // Beside it, so that what else the machine does slows both alike.
  let isReady = false;
  let meanwhile = 0;
  const waiting = startAgent({ url: `http://127.0.0.1:${busy.port}/replay` }).finally(() => {
    isReady = true;
  });
  for (; !isReady; meanwhile++) {
    await (await fetch(`http://127.0.0.1:${other.port}/`)).text();
    await sleep(10);
  }
  await waiting;
  // A schedule that begins at 100 ms would take eight times as long.
  expect(meanwhile / probes).toBeLessThan(4);
});

test('fault 102: for {port} a free port is taken and handed to the agent, so that two of them never meet', async () => {
  const url = 'http://127.0.0.1:{port}/replay';
  const [one, two] = await Promise.all([
    startAgent({ command: run('serves.js'), url }),
    startAgent({ command: run('serves.js'), url }),
  ]);
  await using _one = one;
  await using _two = two;
  expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/replay$/);
  expect(new URL(one.url).port).not.toBe(new URL(two.url).port);
  expect(await (await fetch(two.url)).text()).toBe('ok');
});

test('{port} without a command that could be told of it is refused', async () => {
  const { code, text } = await failure(startAgent({ url: 'http://127.0.0.1:{port}/replay' }));
  expect(code).toBe('TARGET_INVALID');
  expect(text).toContain('agent.url leaves the port open, and no command starts the agent.');
});

test.skipIf(process.platform !== 'linux')(
  'an older program that answers in place of the agent is found out before a call is sent, unless it is declared',
  async () => {
    const late = async (external: boolean) => {
      const settings = await options('forever.js', { external, wait: {} });
      // The address is free when it is looked at, and taken by this process, which is older, before the agent has it.
      const log = () => {
        listening ??= occupied('127.0.0.1', Number(new URL(settings.url).port));
      };
      let listening: ReturnType<typeof occupied> | undefined;
      const starting = startAgent({ ...settings, stdout: 'pipe' }, { log });
      const result = await starting.then(
        async (agent) => {
          await agent.stop();
          return { code: 'started', text: '' };
        },
        (error: AgentReplayError) => ({ code: error.code, text: [error.message, ...error.evidence].join('\n') }),
      );
      await (await listening)?.[Symbol.asyncDispose]();
      return result;
    };
    const { code, text } = await late(false);
    expect(code).toBe('AGENT_PORT_IN_USE');
    expect(text).toContain(`process ${process.pid}`);
    expect(text).toContain('no call was sent');
    expect((await late(true)).code).toBe('started');
  },
);

/** A run's question to whoever answers, and the token that it has handed to its agent. */
const token = 'of this run';
const proof = { header: wireNames().headers.start, of: (nonce: string) => startProof(nonce, token) };

/**
 * How an agent starts that never listens, while a younger program takes its port: a daemon of it, or somebody else's agent.
 * The same is seen of any program where nobody can tell who listens.
 */
async function startedBeside(program: string, itsToken: string) {
  const settings = await options('forever.js', { wait: {} });
  let younger: ChildProcess | undefined;
  const log = () => {
    const env = { ...process.env, PORT: new URL(settings.url).port, SVC_RUN_TOKEN: itsToken };
    younger ??= spawn(process.execPath, [fixture(program)], { env, stdio: 'ignore' });
  };
  try {
    await using agent = await startAgent({ ...settings, stdout: 'pipe' }, { log, proof });
    return agent.knownBy;
  } finally {
    younger?.kill('SIGKILL');
    if (younger?.exitCode === null && younger.signalCode === null) await once(younger, 'exit');
  }
}

test('where nobody can tell who listens, a replay endpoint that another run started is found out before a call is sent', async () => {
  const { code, text } = await startedBeside('serves-endpoint.ts', 'of another').then(
    () => ({ code: 'started', text: '' }),
    ({ code, message, evidence }: AgentReplayError) => ({ code, text: [message, ...evidence].join('\n') }),
  );
  expect(code).toBe('AGENT_PORT_IN_USE');
  expect(text).toContain('its replay endpoint was not started by this run');
  expect(text).toContain('no call was sent');
});

test('where nobody can tell who listens, the replay endpoint proves that this run has started it', async () => {
  expect(await startedBeside('serves-endpoint.ts', token)).toBe('proof');
});

test('where nobody can tell who listens and nobody answers the question, it is said that the life of the agent decides', async () => {
  expect(await startedBeside('serves.js', token)).toBe('life');
});

test.skipIf(process.platform !== 'linux')('an agent that is seen to listen is asked nothing', async () => {
  await using agent = await startAgent(await options('serves-endpoint.ts'), { proof });
  expect(agent.knownBy).toBe('listener');
});

test('fault 1: a command that is not found fails at once with its exit code and standard error', async () => {
  const { whole } = await failure(startAgent(await options('', { command: 'no-such-program --port 1' })));
  // Each shell begins the line in its own way.
  expect(whole.replace(/agent\| .*(?=no-such-program)/, 'agent| ')).toMatchInlineSnapshot(`
    "The start command was not found or could not be run. (AGENT_COMMAND_NOT_FOUND)
      command: no-such-program --port 1
      exit code: 127
      agent| no-such-program: not found
      -> Check agent.command and agent.cwd, and that what it runs is installed, executable and on the PATH."
  `);
});

test('fault 1: a command that is not executable fails at once with its exit code', async () => {
  const { code, text } = await failure(startAgent(await options('', { command: fixture('not-executable.sh') })));
  expect(code).toBe('AGENT_COMMAND_NOT_FOUND');
  expect(text).toContain('exit code: 126');
});

test.for([
  ['exits-1.js', 'exited with code 1', 'agent| MODEL_API_KEY is missing ##\\[error]forged'],
  ['exits-0.js', 'exited with code 0', 'foreground'],
  ['lacks-module.js', 'exited with code 1', 'Install the package not-installed, or correct its import.'],
] as const)(
  'fault 2: %s ends before it is ready and fails at once with its last lines',
  async ([program, exit, shown]) => {
    const { code, text } = await failure(startAgent(await options(program)));
    expect(code).toBe('AGENT_EXITED');
    expect(text).toContain(`${exit} before it was ready`);
    expect(text).toContain(shown);
  },
);

test('fault 3: an agent that is never ready fails after the timeout with URL, last error and log, and is ended', async () => {
  const mark = crypto.randomUUID();
  const { whole } = await neverReady(await options('forever.js', { env: { MARK: mark } }), /warming up/);
  expect(whole.replace(/after .* s\./, 'after <timeout> s.')).toMatchInlineSnapshot(`
    "The agent was not ready after <timeout> s. (AGENT_NOT_READY)
      command: "node" "<project>/test/agent/fixtures/forever.js"
      GET http://127.0.0.1:<port>/: connection refused
      agent| still warming up
      -> Check that the agent listens where agent.url says; if it only needs longer, raise agent.timeout."
  `);
  expect(processesWith(mark)).toEqual([]);
});

test.for(['127.0.0.1', '0.0.0.0', '::1', '::'])(
  'fault 4: a port taken on %s is refused before anything is started',
  async (host) => {
    await using other = await occupied(host);
    const mark = crypto.randomUUID();
    const url = `http://localhost:${other.port}/replay`;
    const command = `echo started >&2; ${run('serves.js')}`;
    const lines: string[] = [];
    const started = startAgent({ command, url, env: { MARK: mark } }, { log: (line) => lines.push(line) });
    const { whole } = await failure(started);
    // The address is written as the host is, with brackets or without.
    expect(whole.replace(/address \S+/, 'address <host>:<port>')).toMatchInlineSnapshot(`
      "The agent's address <host>:<port> is already in use. (AGENT_PORT_IN_USE)
        target: http://localhost:<port>/replay
        -> Write {port} for the port in agent.url, and a free one is taken each time. Or end the process that listens there, or leave out agent.command to replay against it."
    `);
    expect(lines).toEqual([]);
  },
);

test('without a command an agent that answers elsewhere is taken, and one that does not is named', async () => {
  await using other = await occupied('127.0.0.1');
  await startAgent({ url: `http://127.0.0.1:${other.port}/replay` });
  const nobody = await freePort();
  const { whole } = await failure(startAgent({ url: `http://127.0.0.1:${nobody}/replay`, timeout: 100 }));
  expect(whole).toMatchInlineSnapshot(`
    "The agent was not ready after 0.1 s. (AGENT_NOT_READY)
      GET http://127.0.0.1:<port>/: connection refused
      -> No start command is given, so the agent must already run there: set agent.command, or correct agent.url."
  `);
});

test('an agent that listens on another port than agent.url fails with that port', async () => {
  const port = await freePort();
  const { whole } = await neverReady(await options('serves.js', { env: { PORT: `${port}` } }), /listening at/);
  expect(
    whole
      .replace(/after .* s\./, 'after <timeout> s.')
      .replace(/at \d+/, 'at <time>')
      .replace(`port ${port}`, 'port <other>'),
  ).toMatchInlineSnapshot(`
    "The agent was not ready after <timeout> s. (AGENT_NOT_READY)
      command: "node" "<project>/test/agent/fixtures/serves.js"
      GET http://127.0.0.1:<port>/: connection refused
      the agent listens on port <other>
      agent| listening at <time>
      -> Have it listen on the PORT that it is given, or set agent.url to the port on which it does."
  `);
});

test('fault 5: 503 is waited through until the agent answers otherwise', async () => {
  await using agent = await startAgent(await options('answers-503-then-200.js'));
  await expect.poll(() => agent.output.tail(9)).toEqual(['request 1', 'request 2', 'request 3', 'request 4']);
});

test.for(['404', '401', '302'])('fault 5: %s is an answer like any other by default', async (status) => {
  const configured = await options('answers-by-path.js');
  await using agent = await startAgent({ ...configured, wait: { url: new URL(`/${status}`, configured.url).href } });
  expect(agent.pid).toBeGreaterThan(0);
});

test('fault 5: 404 is not ready when wait.status does not list it, and the message explains', async () => {
  const configured = await options('answers-by-path.js', { wait: { status: [200] } });
  const { whole } = await neverReady(configured, /status 404/);
  expect(whole.replace(/after .* s\./, 'after <timeout> s.')).toMatchInlineSnapshot(`
    "The agent was not ready after <timeout> s. (AGENT_NOT_READY)
      command: "node" "<project>/test/agent/fixtures/answers-by-path.js"
      GET http://127.0.0.1:<port>/: status 404
      the agent printed nothing
      -> It answers, but not with a status that means ready: set agent.wait.url to a page that does, or list the status in agent.wait.status."
  `);
});

test('a first request that is never answered delays the start, and does not break it', async () => {
  await using agent = await startAgent(await options('hangs-first.js'));
  expect(agent.pid).toBeGreaterThan(0);
});

test('fault 7: a command that becomes a daemon is refused with a hint, and the daemon is ended', async () => {
  const mark = crypto.randomUUID();
  const command = `"${fixture('daemonises.sh')}"`;
  const { whole } = await failure(startAgent(await options('', { command, env: { MARK: mark } })));
  expect(whole).toMatchInlineSnapshot(`
    "The agent exited with code 0 before it was ready. (AGENT_EXITED)
      command: "<project>/test/agent/fixtures/daemonises.sh"
      still running, so it was ended: process <id>
      the agent printed nothing
      -> The command must stay in the foreground for as long as the agent serves: start it without "&" and not as a daemon."
  `);
  expect(processesWith(mark)).toEqual([]);
});

test('fault 9: the standard input of the agent is at its end', async () => {
  await using agent = await startAgent(await options('reads-stdin.js'));
  expect(agent.pid).toBeGreaterThan(0);
});

test('fault 10: a crash in use is seen at once, named by its signal, and hinted at as out of memory', async () => {
  await using agent = await startAgent(await options('crashes.js'));
  await fetch(new URL('/crash', agent.url)).catch(() => {});
  const whole = wholeMessage(agentCrashed(await agent.exited, agent.output));
  // What a shell says of it is the shell's.
  expect(whole.replace(/\n.*Killed.*/, '')).toMatchInlineSnapshot(`
    "The agent exited with code 137 (SIGKILL) while it was in use. (AGENT_CRASHED)
      -> SIGKILL that nobody sent usually means out of memory: give the machine more of it, or the agent less to hold."
  `);
});

test.for([
  ['blank', ' \n\t'],
  ['NUL', 'node\0server.js'],
  ['204800 bytes', 'x'.repeat(200 * 1024)],
])('fault 13: a command that is %s is refused by the name of its option', async ([what, command]) => {
  const { code, text } = await failure(startAgent(await options('', { command: command! })));
  expect(code).toBe('AGENT_COMMAND_EMPTY');
  expect(text).toContain('agent.command (--start)');
  expect(text).toContain(what);
});

test('a command that is blank is refused with an example', async () => {
  const blank = await options('', { command: ' ' });
  expect(await messageFrom(() => startAgent(blank))).toMatchInlineSnapshot(`
    "The start command agent.command (--start) is blank. (AGENT_COMMAND_EMPTY)
      -> Give the command that starts the agent, such as "node server.js", or leave it out for an agent that already runs."
  `);
});

test('the longest command that is allowed can be started', async () => {
  const configured = await options('serves.js');
  const padding = 'x'.repeat(128 * 1024 - 1 - configured.command.length - 2);
  await using agent = await startAgent({ ...configured, command: `${configured.command} #${padding}` });
  expect(agent.pid).toBeGreaterThan(0);
});

test('fault 26: a self-signed certificate fails at once with the way out', async () => {
  const configured = await options('self-signed.js');
  const { code, text } = await failure(startAgent({ ...configured, url: configured.url.replace('http:', 'https:') }));
  expect(code).toBe('AGENT_NOT_READY');
  expect(text).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
  expect(text).toContain('NODE_EXTRA_CA_CERTS');
});

test('fault 26: an IPv6 literal works', async () => {
  const configured = await options('serves.js', { env: { HOST: '::1' } });
  await using agent = await startAgent({ ...configured, url: configured.url.replace('127.0.0.1', '[::1]') });
  expect(agent.pid).toBeGreaterThan(0);
});

test('fault 26: credentials in the URL are sent, and never shown', async () => {
  const configured = await options('asks-for-credentials.js');
  const withPassword = (password: string) => configured.url.replace('//', `//user:${password}@`);
  await (await startAgent({ ...configured, url: withPassword('pass%20word') })).stop();
  const { text } = await neverReady({ ...configured, url: `${withPassword('canary')}?key=canary` }, /status 500/);
  expect(text).toContain('status 500');
  expect(text).not.toContain('canary');
});

test('a missing URL or directory is named by its option', async () => {
  expect((await failure(startAgent({ command: 'node server.js' }))).whole).toMatchInlineSnapshot(`
    "No target URL is given. (TARGET_INVALID)
      -> Set agent.url (--url) to the full URL of the replay endpoint, such as http://127.0.0.1:<port>/replay."
  `);
  const nowhere = await failure(startAgent(await options('serves.js', { cwd: '/no/such/directory' })));
  expect(nowhere.code).toBe('CONFIG_INVALID');
  expect(nowhere.text).toContain('agent.cwd: /no/such/directory');
});

test('the command runs in cwd', async () => {
  const configured = await options('', { command: '"$NODE" serves.js', cwd: fixture('.') });
  await using agent = await startAgent(configured);
  expect(agent.pid).toBeGreaterThan(0);
});

test('a cancelled start ends what it started and throws the reason', async () => {
  const mark = crypto.randomUUID();
  const cancel = new AbortController();
  const started = startAgent(await options('forever.js', { env: { MARK: mark } }), { signal: cancel.signal });
  await expect.poll(() => processesWith(mark).length).toBeGreaterThan(0);
  cancel.abort(new Error('the user pressed Ctrl-C'));
  await expect(started).rejects.toThrow('the user pressed Ctrl-C');
  expect(processesWith(mark)).toEqual([]);
});

test('fault 72: cancelling while a failed start is cleared away hastens that', async () => {
  const mark = crypto.randomUUID();
  const configured = await options('ignores-sigterm.js', {
    env: { MARK: mark },
    wait: { status: [418] },
    gracefulShutdown: { timeout: PATIENCE_MS },
  });
  // It ignores the signal once it has come up.
  const lines = await withinTime(
    FIRST_TRY_MS,
    async (timeout) => {
      const said: string[] = [];
      const cancel = new AbortController();
      const log = (line: string) => {
        said.push(line);
        cancel.abort();
      };
      const { code } = await failure(startAgent({ ...configured, timeout }, { signal: cancel.signal, log }));
      expect(code).toBe('AGENT_NOT_READY');
      expect(processesWith(mark)).toEqual([]);
      return said;
    },
    (said) => said.length > 0,
  );
  expect(lines).toEqual(['agent| no']);
});

test.for(['127.0.0.1', '::1'])('fault 95: an agent that listens on %s is ready at localhost', async (HOST) => {
  const port = await freePort();
  const env = { PORT: `${port}`, HOST };
  await using agent = await startAgent({ command: run('serves.js'), url: `http://localhost:${port}/replay`, env });
  expect(agent.url).toBe(`http://localhost:${port}/replay`);
});
