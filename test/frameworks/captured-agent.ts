import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { nodeHandler, replayEndpoint, traceAttributes } from 'agent-replay/endpoint';

/**
 * An agent that plays a capture. For the question of a turn that a real SDK exported (`test/chat/fixtures`), it gives
 * the same answer and sends the same spans again, under new ids and with present times. `EDIT` says what it changes.
 */
const { CAPTURE = '', EDIT = '', PORT, LANGFUSE_BASE_URL, LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY } = process.env;

interface Span {
  readonly traceId: string;
  readonly startTimeUnixNano: string;
  attributes: object[];
}
interface Export {
  readonly resourceSpans: { readonly scopeSpans: { spans: Span[] }[] }[];
}

/** Changes an amount that the model gives, and no number inside a time, an id or a version. */
const refundMore = (text: string) => text.replace(/(?<![\w.-]|\d:)17(?![\w:-])/g, '18');
const EDITS: Readonly<Record<string, (text: string) => string>> = {
  '': (text) => text,
  model: refundMore,
  prompt: (text) => refundMore(text).replaceAll('a kind shop assistant', 'a quick shop assistant'),
  tool: (text) => text.replace(/(refunded\W{1,12})17/g, '$116'),
};
const edited = EDITS[EDIT] as (text: string) => string;

const exported = (JSON.parse(readFileSync(CAPTURE, 'utf8')) as { exports: Export[] }).exports;
const spansIn = ({ resourceSpans }: Export): Span[] =>
  resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
const spans = exported.flatMap(spansIn).sort((a, b) => (a.startTimeUnixNano < b.startTimeUnixNano ? -1 : 1));
/** The traces of the first and the second turn. */
const turns = [...new Set(spans.map(({ traceId }) => traceId))];

const replay = nodeHandler(
  replayEndpoint(async (turn) => {
    const isFirst = turn.input === 'Where is order 7?';
    const traceId = turns[isFirst ? 0 : 1] as string;
    for (const body of again(traceId, traceAttributes(turn))) await send(body);
    return isFirst ? 'Order 7 is lost.' : edited('Refunded 17.');
  }),
);

/** The exports of one trace, with present times. */
function again(traceId: string, attributes: Readonly<Record<string, string>>): string[] {
  const ids = new Map<string, string>();
  const renamed = (id: string) => ids.get(id) ?? ids.set(id, randomBytes(id.length / 2).toString('hex')).get(id);
  const own = spans.filter((span) => span.traceId === traceId);
  const later = BigInt(Date.now()) * 1_000_000n - BigInt((own[0] as Span).startTimeUnixNano);
  return exported.flatMap((body) => {
    const copy = structuredClone(body);
    for (const { scopeSpans } of copy.resourceSpans) {
      for (const scope of scopeSpans) scope.spans = scope.spans.filter((span) => span.traceId === traceId);
    }
    if (spansIn(copy).length === 0) return [];
    for (const span of spansIn(copy)) {
      const told = Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }));
      span.attributes = [...span.attributes, ...told];
    }
    return edited(JSON.stringify(copy))
      .replace(/"(traceId|spanId|parentSpanId)":"(\w+)"/g, (_, key, id) => `"${key}":"${renamed(id)}"`)
      .replace(/"(\w*[tT]imeUnixNano)":"(\d+)"/g, (_, key, time) => `"${key}":"${BigInt(time) + later}"`);
  });
}

async function send(body: string): Promise<void> {
  const keys = Buffer.from(`${LANGFUSE_PUBLIC_KEY}:${LANGFUSE_SECRET_KEY}`).toString('base64');
  const answer = await fetch(`${LANGFUSE_BASE_URL}/api/public/otel/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Basic ${keys}` },
    body,
  });
  if (!answer.ok) throw new Error(`the receiver answered ${answer.status}`);
}

createServer((request, response) => {
  if (request.url === '/replay') void replay(request, response);
  else response.end('ok');
}).listen(Number(PORT), '127.0.0.1');
