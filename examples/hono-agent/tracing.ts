import { LangfuseSpanProcessor } from '@langfuse/otel';
import { LangfuseVercelAiSdkIntegration } from '@langfuse/vercel-ai-sdk';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { replaySpanProcessor } from 'agent-replay/endpoint';
import { registerTelemetry } from 'ai';

const { TRACING_HOST: baseUrl, TRACING_PUBLIC_KEY: publicKey, TRACING_SECRET_KEY: secretKey } = process.env;

/** Without a host nothing is sent. */
const langfuse = baseUrl === undefined ? undefined : new LangfuseSpanProcessor({ baseUrl, publicKey, secretKey });
new NodeTracerProvider({
  spanProcessors: langfuse === undefined ? [] : [replaySpanProcessor(), langfuse],
}).register();
registerTelemetry(new LangfuseVercelAiSdkIntegration());

/** Sends what is still waiting: `replayEndpoint` calls it before it answers. */
export async function flush(): Promise<void> {
  await langfuse?.forceFlush();
}
