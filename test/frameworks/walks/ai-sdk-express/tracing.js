import { LangfuseSpanProcessor } from '@langfuse/otel';
import { LangfuseVercelAiSdkIntegration } from '@langfuse/vercel-ai-sdk';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { replaySpanProcessor } from 'agent-replay/endpoint';
import { registerTelemetry } from 'ai';

new NodeTracerProvider({ spanProcessors: [replaySpanProcessor(), new LangfuseSpanProcessor()] }).register();
registerTelemetry(new LangfuseVercelAiSdkIntegration());
