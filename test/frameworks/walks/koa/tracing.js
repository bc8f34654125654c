import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { NodeSDK } from '@opentelemetry/sdk-node';
import OpenAI from 'openai';

const openai = new OpenAIInstrumentation();
openai.manuallyInstrument(OpenAI);
new NodeSDK({ traceExporter: new OTLPTraceExporter(), instrumentations: [openai] }).start();
