import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { replaySpanProcessor } from 'agent-replay/endpoint';
import 'genkit'; // before its tracing, which does not know Node.js otherwise
import { enableTelemetry } from 'genkit/tracing';

await enableTelemetry({ spanProcessors: [replaySpanProcessor(), new BatchSpanProcessor(new OTLPTraceExporter())] });
