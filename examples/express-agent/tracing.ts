import { type Attributes, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { replaySpanProcessor } from 'agent-replay/endpoint';

const { TRACING_HOST, TRACING_PUBLIC_KEY, TRACING_SECRET_KEY } = process.env;

/** Without a host nothing is sent. */
const exporting = TRACING_HOST === undefined ? undefined : new BatchSpanProcessor(createExporter(TRACING_HOST));
new NodeTracerProvider({
  spanProcessors: exporting === undefined ? [] : [replaySpanProcessor(), exporting],
}).register();

function createExporter(host: string): OTLPTraceExporter {
  const keys = Buffer.from(`${TRACING_PUBLIC_KEY}:${TRACING_SECRET_KEY}`).toString('base64');
  return new OTLPTraceExporter({
    url: `${host}/api/public/otel/v1/traces`,
    headers: { authorization: `Basic ${keys}` },
  });
}

const tracer = trace.getTracer('desk-agent');

/**
 * Runs a piece of work inside a span. Objects are written as JSON text, which is how the semantic conventions of
 * OpenTelemetry for generative AI take messages, arguments and results.
 */
export function traced<T>(
  name: string,
  before: Readonly<Record<string, unknown>>,
  work: () => Promise<T>,
  after: (result: T) => Readonly<Record<string, unknown>>,
): Promise<T> {
  return tracer.startActiveSpan(name, { attributes: attributesOf(before) }, async (span) => {
    try {
      const result = await work();
      span.setAttributes(attributesOf(after(result)));
      return result;
    } catch (error) {
      span.recordException(error as Error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

function attributesOf(values: Readonly<Record<string, unknown>>): Attributes {
  const entries = Object.entries(values).map(([key, value]) => [
    key,
    typeof value === 'object' ? JSON.stringify(value) : value,
  ]);
  return Object.fromEntries(entries) as Attributes;
}

/** Sends what is still waiting: `replayEndpoint` calls it before it answers. */
export async function flush(): Promise<void> {
  await exporting?.forceFlush();
}
