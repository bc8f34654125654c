import { PbfWriter } from 'pbf';
import { expect, test } from 'vitest';
import { generationOf } from '../../src/chat/index.ts';
import type { Json } from '../../src/json/index.ts';
import { habitsOf, type Receiver, startReceiver } from '../../src/tracing/index.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { exportOf, failure, noDeadline, post, RUN, start } from './spans.ts';
import { tracesIn } from './traces-in.ts';

const LOGS = '/api/public/otel/v1/logs';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const INPUT = [{ role: 'user', parts: [{ type: 'text', content: 'Where is order 7?' }] }];
const OUTPUT = [{ role: 'assistant', parts: [{ type: 'text', content: 'Lost.' }] }];
const DETAILS = 'gen_ai.client.inference.operation.details';

function anyValue(value: Json): Json {
  if (typeof value === 'string') return { stringValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: keyValues(value as { [key: string]: Json }) } };
}

function keyValues(attributes: { readonly [key: string]: Json }): Json[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function log(eventName: string, attributes: { readonly [key: string]: Json }, body?: Json): string {
  const record = { traceId: TRACE, spanId: SPAN, eventName, attributes: keyValues(attributes) };
  const logRecords = [{ ...record, ...(body === undefined ? {} : { body: anyValue(body) }) }];
  return JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
}

const details = log(DETAILS, { 'gen_ai.input.messages': INPUT, 'gen_ai.output.messages': OUTPUT });

const root = exportOf({ id: 'root', trace: TRACE, attributes: { ...RUN, 'langfuse.observation.output': 'Lost.' } });
const chat = exportOf({
  id: SPAN,
  trace: TRACE,
  parent: 'root',
  startMs: 1_001,
  attributes: { 'gen_ai.operation.name': 'chat' },
});

async function modelCall(receiver: Receiver) {
  const { observations } = await receiver.waitFor('r1', { signal: noDeadline(), responded: Promise.resolve() });
  const found = observations.find(({ id }) => id === SPAN);
  return found && generationOf(found);
}

test.each([
  ['before its span', [details, chat, root]],
  ['after its span', [chat, details, root]],
  ['before its span, which comes twice', [details, chat, chat, root]],
])('what a model was given and put out is read of a log record that comes %s', async (_, bodies) => {
  await using receiver = await start();
  for (const body of bodies) {
    const { status } = await post(receiver, body, body.includes('resourceLogs') ? { path: LOGS } : {});
    expect(status).toBe(200);
  }
  const call = await modelCall(receiver);
  expect(call?.messages).toEqual([{ role: 'user', content: 'Where is order 7?' }]);
  expect(call?.said).toEqual(['Lost.']);
});

test('one record for each message, with a body, is read as the older convention has it', async () => {
  await using receiver = await start();
  const bodies = [
    log('gen_ai.user.message', {}, { content: 'Where is order 7?' }),
    log('', { 'event.name': 'gen_ai.choice' }, { index: '0', message: { role: 'assistant', content: 'Lost.' } }),
  ];
  for (const body of bodies) await post(receiver, body, { path: LOGS });
  await post(receiver, chat);
  await post(receiver, root);
  const call = await modelCall(receiver);
  expect(call?.messages).toEqual([{ role: 'user', content: 'Where is order 7?' }]);
  expect(call?.said).toEqual(['Lost.']);
});

const WITHOUT_TRACE = details.replace(`"traceId":"${TRACE}",`, '');
const AS_TEXT = log(DETAILS, {}, JSON.stringify({ 'gen_ai.input.messages': INPUT, 'gen_ai.output.messages': OUTPUT }));
/** A recorded turn whose model call has its content. */
const RECORDED = tracesIn(chat).map(({ observations }) => ({
  observations: observations.map((each) => ({ ...each, parentId: null, input: INPUT, output: OUTPUT })),
}));

test.each([
  ['without the id of its trace, before its span', [WITHOUT_TRACE, chat, root]],
  ['without the id of its trace, after its span', [chat, WITHOUT_TRACE, root]],
  ['with its members as JSON in a text', [chat, AS_TEXT, root]],
])('what a model was given is read of a log record %s', async (_, bodies) => {
  await using receiver = await start();
  for (const body of bodies) await post(receiver, body, body.includes('resourceLogs') ? { path: LOGS } : {});
  const call = await modelCall(receiver);
  expect(call?.messages).toEqual([{ role: 'user', content: 'Where is order 7?' }]);
  expect(call?.said).toEqual(['Lost.']);
});

test('content that all recordings have is waited for, also as a log record that comes 600 ms late', async () => {
  const clock = new SimulatedClock();
  await using receiver = await startReceiver({ clock });
  for (const body of [chat, root]) await post(receiver, body);
  clock.at(600, () => post(receiver, details, { path: LOGS }));
  const options = { habits: habitsOf(RECORDED), responded: Promise.resolve(), signal: noDeadline() };
  const { observations } = await clock.until(receiver.waitFor('r1', options));
  expect(observations.find(({ id }) => id === SPAN)).toMatchObject({ input: INPUT, output: OUTPUT });
  expect(clock.elapsedMs).toBeLessThan(2_000);
});

test('content that all recordings have and that never comes cannot be told, and is named', async () => {
  await using receiver = await start();
  for (const body of [chat, root]) await post(receiver, body);
  const habits = habitsOf(RECORDED);
  const error = await failure(receiver.waitFor('r1', { signal: AbortSignal.abort(), habits }));
  expect(error.code).toBe('TRACE_INCOMPLETE');
  expect(error.evidence).toContain(`missing: the input of span ${SPAN}, generation "${SPAN}"`);
});

test('other records, and those of other keys, are taken and dropped', async () => {
  await using receiver = await start();
  const answers = [
    await post(receiver, log('app.started', { 'gen_ai.output.messages': OUTPUT }), { path: LOGS }),
    await post(receiver, details, { path: LOGS, headers: { authorization: 'Basic eDp5' } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  await post(receiver, chat);
  await post(receiver, root);
  expect((await modelCall(receiver))?.said).toEqual([]);
});

test('records in protobuf are read', async () => {
  await using receiver = await start();
  const message = (write: (pbf: PbfWriter) => void) => (_: unknown, pbf: PbfWriter) => write(pbf);
  const pbf = new PbfWriter();
  pbf.writeMessage(
    1,
    message((resource) => {
      resource.writeMessage(
        2,
        message((scope) => {
          scope.writeMessage(
            2,
            message((record) => {
              record.writeMessage(
                6,
                message((attribute) => {
                  attribute.writeStringField(1, 'gen_ai.output.messages');
                  attribute.writeMessage(
                    2,
                    message((value) => value.writeStringField(1, JSON.stringify(OUTPUT))),
                    undefined,
                  );
                }),
                undefined,
              );
              record.writeBytesField(9, Buffer.from(TRACE, 'hex'));
              record.writeBytesField(10, Buffer.from(SPAN, 'hex'));
              record.writeStringField(12, DETAILS);
            }),
            undefined,
          );
        }),
        undefined,
      );
    }),
    undefined,
  );
  await post(receiver, new Uint8Array(pbf.finish()), {
    path: LOGS,
    headers: { 'content-type': 'application/x-protobuf' },
  });
  await post(receiver, chat);
  await post(receiver, root);
  expect((await modelCall(receiver))?.said).toEqual(['Lost.']);
});

test('records that wait for their spans are bounded: the oldest are let go', async () => {
  await using receiver = await start();
  await post(receiver, details, { path: LOGS });
  const padding = 'x'.repeat(2 ** 20);
  for (let sent = 0; sent < 65; sent++) {
    const other = log('gen_ai.user.message', { padding }, {}).replaceAll(SPAN, sent.toString(16).padStart(16, '0'));
    await post(receiver, other, { path: LOGS });
  }
  await post(receiver, chat);
  await post(receiver, root);
  expect((await modelCall(receiver))?.said).toEqual([]);
});
