export { isUntrusted, TRUST_IT } from './certificate.ts';
export { isLocal, lookupWithLoopback } from './loopback.ts';
export { retryAfterMs } from './retry-after.ts';
export { bodyOf, Refusal, type Served, type ServeOptions, serve } from './serve.ts';
