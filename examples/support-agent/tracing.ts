import { LangfuseSpanProcessor } from '@langfuse/otel';
import { propagateAttributes, startActiveObservation } from '@langfuse/tracing';
import { LangfuseVercelAiSdkIntegration } from '@langfuse/vercel-ai-sdk';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { registerTelemetry } from 'ai';
import { settings } from './settings.ts';

const processor = createProcessor();
new NodeTracerProvider({ spanProcessors: processor === undefined ? [] : [processor] }).register();
registerTelemetry(new LangfuseVercelAiSdkIntegration());

function createProcessor(): LangfuseSpanProcessor | undefined {
  const { TRACING_HOST: baseUrl, TRACING_PUBLIC_KEY: publicKey, TRACING_SECRET_KEY: secretKey } = settings;
  return baseUrl === undefined ? undefined : new LangfuseSpanProcessor({ baseUrl, publicKey, secretKey });
}

export interface TurnTrace {
  readonly sessionId: string;
  readonly runId: string;
  readonly input: unknown;
  /** More trace metadata. The SDK drops whatever is no string, and strings of more than 200 characters. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Runs one turn inside its own trace: the root observation holds what the user said and what was answered. */
export function traceTurn<T extends { output: string }>(turn: TurnTrace, run: () => Promise<T>): Promise<T> {
  const { sessionId, runId, input } = turn;
  const metadata = { ...turn.metadata, agent_id: settings.SVC_AGENT_ID, session_id: sessionId, run_id: runId };
  return propagateAttributes({ traceName: 'support-turn', sessionId, metadata }, () =>
    startActiveObservation(
      'support-turn',
      async (root) => {
        root.update({ input });
        try {
          const result = await run();
          root.update({ output: result.output });
          return result;
        } catch (error) {
          root.update({ level: 'ERROR', statusMessage: String(error) });
          throw error;
        }
      },
      { asType: 'agent' },
    ),
  );
}

let flushed = Promise.resolve();

/**
 * Sends what is still waiting. One flush follows the other: side by side, none would wait for the spans that another
 * one has just taken, and the exporter drops spans when too many requests are under way.
 */
export function flushTraces(): Promise<void> {
  flushed = flushed.then(() => processor?.forceFlush()).catch(reportUnsent);
  return flushed;
}

/** A tracing platform that is down must not take the agent with it. */
function reportUnsent(error: unknown): void {
  console.error('Traces could not be sent:', error);
}
