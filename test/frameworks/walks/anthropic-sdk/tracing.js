import Anthropic from '@anthropic-ai/sdk';
import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { replaySpanProcessor } from 'agent-replay/endpoint';

const provider = new NodeTracerProvider({
  spanProcessors: [replaySpanProcessor(), new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
new AnthropicInstrumentation({ tracerProvider: provider }).manuallyInstrument(Anthropic);
