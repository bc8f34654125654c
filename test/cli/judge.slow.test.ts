import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { startReplayer } from '../../src/job/index.ts';
import { outcomes } from '../outcomes.ts';
import { command } from './command.ts';
import { type Project, pinOf, projectWith } from './project.ts';

const SENTENCE = 'your parcel is on its way to you and arrives on Monday at the latest';
const GREETING = 'Sure, dear customer, let us see: ';

interface Question {
  readonly request: { readonly input: string };
  readonly recorded: string;
  readonly replayed: string;
  readonly place: string;
  readonly sentences: { readonly recorded: readonly string[]; readonly replayed: readonly string[] };
  readonly turn: number;
}

/** A stand-in of a model, asked over HTTP; `hang` is no answer at all. */
async function model(answer: (question: Question) => string) {
  const asked: Question[] = [];
  const server = createServer(async (request, response) => {
    const question = (await json(request)) as Question;
    asked.push(question);
    const said = answer(question);
    if (said !== 'hang') response.end(said);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Its agent says every answer in other words. */
function project(settings = '', more: Readonly<Record<string, string>> = {}): Promise<Project> {
  const judge = `{ version: 'v1', ask: async ({ signal, ...question }) => {
    const answer = await fetch(process.env.JUDGE, { method: 'POST', body: JSON.stringify(question), signal });
    const told = await answer.text();
    return told.startsWith('{') ? JSON.parse(told) : told;
  }, ${settings} }`;
  return projectWith({
    sessions: { one: SENTENCE, two: `${SENTENCE}, we promise` },
    agent: { env: { GREETING } },
    config: { runs: 3 },
    files: {
      'agent-replay.config.mjs': `import base from './agent-replay.config.json' with { type: 'json' };
        export default { ...base, compare: { judge: ${judge} } };`,
      ...more,
    },
  });
}

function run(at: Project, url: string, ...args: string[]) {
  return command(['run', ...args], { cwd: at.path, env: { JUDGE: url } });
}

test('what a judge says is the same in both orders is as recorded, told with both texts, and asked once', async () => {
  await using judge = await model(() => 'same');
  await using at = await project();
  const { code, stdout } = await run(at, judge.url, '--reporter', 'table,json,junit,html,markdown');
  expect(stdout).toMatch(/^Judge v1: of 2 texts in other words 2 the same, 0 different, 0 could not tell\.$/m);
  expect(stdout).toContain('2 of 2 sessions as recorded');
  expect(code).toBe(0);
  expect(judge.asked).toHaveLength(4);
  expect(judge.asked[0]).toMatchObject({ request: { input: SENTENCE }, turn: 1 });
  const { results } = await at.report();
  expect(results.sessions[0]?.turns[0]?.judgements).toEqual([
    {
      recorded: `answer to ${SENTENCE}`,
      replayed: `${GREETING}answer to ${SENTENCE}`,
      place: 'output',
      runs: [1, 2, 3],
      said: 'same',
    },
  ]);
  for (const file of ['report.md', 'junit.xml']) {
    expect(await at.read(`.agent-replay/${file}`)).toContain('Judge v1: of 2 texts in other words');
  }
  // The page says the same in the browser.
  expect(await at.read('.agent-replay/report.html')).toContain('"judge":{"version":"v1","same":2');
  // The same input, the same verdict, and nobody is asked again.
  expect((await run(at, judge.url)).code).toBe(0);
  expect(judge.asked).toHaveLength(4);
  expect((await at.report()).results).toEqual(results);
  const merged = await command(['merge', '.agent-replay', '--output-dir', 'merged'], { cwd: at.path });
  expect(merged.code).toBe(0);
  expect(JSON.parse(await at.read('merged/report.json')).results).toEqual(JSON.parse(JSON.stringify(results)));
});

test('what its questions cost is in the price of the verdict, once: in the report, in the terminal and in Markdown', async () => {
  await using judge = await model(() => JSON.stringify({ said: 'same', cost: 0.25 }));
  await using at = await project();
  const { code, stdout } = await run(at, judge.url, '--reporter', 'table,json,markdown');
  expect(code).toBe(0);
  const priced = '4 questions to the judge, $1.00 the judge alone';
  expect(stdout).toContain(priced);
  expect(await at.read('.agent-replay/report.md')).toContain(priced);
  const price = async (folder: string) => JSON.parse(await at.read(`${folder}/report.json`)).evidence.usage.judge;
  expect(await price('.agent-replay')).toEqual({ calls: 4, cost: 1 });
  // From the journal alone the same comes out.
  await command(['merge', '.agent-replay', '--output-dir', 'merged'], { cwd: at.path });
  expect(await price('merged')).toEqual({ calls: 4, cost: 1 });
  // What it said before costs nothing.
  expect((await run(at, judge.url)).stdout).not.toContain('question');
});

test('what it says is different has changed: red, and the sentence says who says so', async () => {
  await using judge = await model(({ request }) => (request.input === SENTENCE ? 'different' : 'same'));
  await using at = await project();
  const { code, stdout } = await run(at, judge.url, '--verbose');
  expect(code).toBe(1);
  expect(stdout.replace(/\s+/g, ' ')).toContain('compare.judge says that it means something else');
  const { results } = await at.report();
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.changed, outcomes.asRecorded]);
  expect(results.judge).toEqual({ version: 'v1', same: 1, different: 1, unsure: 0 });
  // From the journal alone the same comes out, without a judge.
  const asked = judge.asked.length;
  const merged = await command(['merge', '.agent-replay', '--output-dir', 'merged'], { cwd: at.path });
  expect(merged.code).toBe(1);
  expect(JSON.parse(await at.read('merged/report.json')).results).toEqual(JSON.parse(JSON.stringify(results)));
  expect(judge.asked).toHaveLength(asked);
});

const MAILED = 'Dear Mia, the parcel is on its way. Please be at home when the driver rings your bell.';
const REMAILED = 'Dear Mia, the parcel is on its way. Please stay in your house until the driver comes to the door.';

/** Its agent answers as recorded, and says what it mails in other words. */
function mailing(compare = ''): Promise<Project> {
  const pin = pinOf('one', [SENTENCE]) as { turns: { recorded: { observations: object[] } }[] };
  const [{ recorded }] = pin.turns as [(typeof pin.turns)[number]];
  const at = new Date(Date.UTC(2026, 0, 1) + 2).toISOString();
  const mail = { id: 'm', parentId: 'r', type: 'tool', name: 'send_mail', startTime: at, endTime: at };
  recorded.observations.push({ ...mail, input: { to: 'mia', body: MAILED }, output: 'sent' });
  return projectWith({
    agent: { env: { MAIL: REMAILED } },
    files: {
      'replays/one.session.json': JSON.stringify(pin),
      'agent-replay.config.mjs': `import base from './agent-replay.config.json' with { type: 'json' };
        const ask = async ({ signal, ...question }) =>
          (await fetch(process.env.JUDGE, { method: 'POST', body: JSON.stringify(question), signal })).text();
        export default { ...base, compare: { judge: { version: 'v1', ask }, ${compare} } };`,
    },
  });
}

test('a message to a person is asked about, too, with its place and the sentences around what differs', async () => {
  await using judge = await model(() => 'same');
  await using at = await mailing();
  const { code, stdout } = await run(at, judge.url);
  expect(stdout).toContain('Judge v1: of 1 text in other words 1 the same, 0 different, 0 could not tell.');
  expect(code).toBe(0);
  const place = 'tool:send_mail/args/body';
  const [one, other] = [MAILED, REMAILED].map((text) => text.slice(text.indexOf('Please'))) as [string, string];
  expect(judge.asked).toMatchObject([
    { turn: 1, place, recorded: MAILED, replayed: REMAILED, sentences: { recorded: [one], replayed: [other] } },
    { turn: 1, place, recorded: REMAILED, replayed: MAILED, sentences: { recorded: [other], replayed: [one] } },
  ]);
  const [turn] = (await at.report()).results.sessions[0]?.turns ?? [];
  expect(turn?.judgements).toMatchObject([{ place, said: 'same', runs: [1, 2] }]);
});

test('a message of which it says that it means something else has changed what was said, and nothing else', async () => {
  await using judge = await model(() => 'different');
  await using at = await mailing();
  expect((await run(at, judge.url)).code).toBe(1);
  const [turn] = (await at.report()).results.sessions[0]?.turns ?? [];
  expect(turn?.comparison.aspects).toMatchObject({
    did: { outcome: outcomes.asRecorded },
    said: { outcome: outcomes.changed },
    path: { outcome: outcomes.asRecorded },
  });
  expect(turn?.comparison.divergence).toMatchObject({
    kind: 'argument',
    tool: 'send_mail',
    text: { because: 'judge' },
  });
});

test.each([
  ['is its effect', `tools: { send_mail: { prose: 'did' } }`, 1],
  ['only looks for something', `tools: { send_mail: { readOnly: true } }`, 2],
])('what a tool is given is not asked about if it %s', async (_, compare, code) => {
  await using judge = await model(() => 'same');
  await using at = await mailing(compare);
  expect((await run(at, judge.url)).code).toBe(code);
  expect(judge.asked).toEqual([]);
});

test.each<[string, string, (question: Question) => string, string]>([
  ['is unsure', '', () => 'unsure', ''],
  [
    'says otherwise with the texts exchanged',
    '',
    ({ recorded }) => (recorded.startsWith('Sure') ? 'same' : 'different'),
    'with the texts exchanged',
  ],
  ['says something that it cannot say', '', () => 'SAME, and ignore all else', 'neither same, different nor unsure'],
  ['tells a negative cost', '', () => '{"said":"same","cost":-1}', 'its cost is no number from 0 on, but -1'],
  ['tells a cost in words', '', () => '{"said":"same","cost":"2"}', "its cost is no number from 0 on, but '2'"],
  ['does not answer', 'timeout: 200,', () => 'hang', 'no answer in 200 ms'],
  ['may not be asked', 'maxCalls: 0,', () => 'same', 'compare.judge.maxCalls (0) was reached'],
])('a judge that %s leaves answers not judged, with the reason: as without one', async (_, settings, answer, why) => {
  await using judge = await model(answer);
  await using at = await project(settings);
  const { code, stdout } = await run(at, judge.url);
  expect(code).toBe(2);
  expect(stdout).toContain('0 the same, 0 different, 2 could not tell');
  const { results } = await at.report();
  expect(results.sessions.map(({ verdict, level }) => [verdict, level])).toEqual(
    Array(2).fill([outcomes.couldNotTell, 'error']),
  );
  expect(results.sessions[0]?.turns[0]?.judgements?.[0]?.why ?? '').toContain(why);
});

test('a judge that throws fails closed, and is asked again the next time', async () => {
  await using at = await project();
  const refused = await run(at, 'http://127.0.0.1:9');
  expect(refused).toMatchObject({ code: 2, stdout: expect.stringContaining('2 could not tell') });
  expect((await at.report()).results.sessions[0]?.turns[0]?.judgements?.[0]?.why).toContain('it failed: fetch failed');
  await using judge = await model(() => 'same');
  expect((await run(at, judge.url)).stdout).toContain('2 of 2 sessions as recorded');
  await rm(path.join(at.path, '.agent-replay'), { recursive: true });
  expect((await run(at, judge.url)).code).toBe(0);
  expect(judge.asked).toHaveLength(8);
});

test('each order costs a call, in the order of the sessions, and the limit is kept', async () => {
  await using judge = await model(() => 'same');
  await using at = await project('maxCalls: 2,');
  expect((await run(at, judge.url)).stdout).toContain(
    'of 2 texts in other words 1 the same, 0 different, 1 could not tell',
  );
  expect(judge.asked.map(({ request }) => request.input)).toEqual([SENTENCE, SENTENCE]);
});

test('maxCost counts the calls of the agent alone, and the judge is asked about those that were made', async () => {
  await using judge = await model(() => 'same');
  await using at = await project();
  const file = path.join(at.path, 'agent-replay.config.json');
  const config = JSON.parse(await readFile(file, 'utf8'));
  const { GREETING: _, ...plain } = { ...config.agent.env, USAGE: 'm-1:1000:500' };
  await writeFile(file, JSON.stringify({ ...config, workers: 1, agent: { ...config.agent, env: plain } }));
  const pinned = await command(['pin', '--runs', '2', '--yes', 'replays/*.session.json'], {
    cwd: at.path,
    env: { JUDGE: judge.url },
  });
  expect(pinned.code).toBe(0);
  await writeFile(
    file,
    JSON.stringify({ ...config, workers: 1, agent: { ...config.agent, env: { ...plain, GREETING } } }),
  );
  const { code, stdout } = await run(
    at,
    judge.url,
    '--set',
    'prices={"m-*":{"input":2,"output":10}}',
    '--max-cost',
    '0.022',
  );
  expect(code).toBe(2);
  expect(stdout).toContain('of 1 text in other words 1 the same, 0 different, 0 could not tell');
  expect(judge.asked).toHaveLength(2);
  const { results, evidence } = await at.report();
  expect(evidence.usage).toMatchObject({ calls: 3, cost: expect.closeTo(0.021) });
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.asRecorded, outcomes.couldNotTell]);
  expect(results.sessions[1]?.turns[0]?.problems).toMatchObject([{ code: 'COST_LIMIT' }]);
});

test('sessions that are replayed on demand, as Vitest does it, are judged too, within one limit of calls', async () => {
  await using judge = await model(({ request }) => (request.input === SENTENCE ? 'different' : 'same'));
  await using at = await project('maxCalls: 3,');
  process.env.JUDGE = judge.url;
  const config = await loadConfig({ cwd: at.path });
  await using replayer = await startReplayer(config);
  const one = await replayer.replay({ session: 'one' });
  expect(one.report.results.sessions[0]).toMatchObject({ verdict: outcomes.changed, level: 'error' });
  const two = await replayer.replay({ session: 'two' });
  expect(two.report.results.sessions[0]).toMatchObject({ verdict: outcomes.couldNotTell, level: 'error' });
  expect(judge.asked).toHaveLength(3);
});
