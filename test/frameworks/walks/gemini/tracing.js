import { LangfuseSpanProcessor } from '@langfuse/otel';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { replaySpanProcessor } from 'agent-replay/endpoint';

new NodeTracerProvider({ spanProcessors: [replaySpanProcessor(), new LangfuseSpanProcessor()] }).register();
