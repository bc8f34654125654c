export { tracesFromOtlp } from './export.ts';
export { type Receiver, type ReceiverLimits, type ReceiverOptions, startReceiver } from './receiver.ts';
export type { TraceSource } from './source.ts';
