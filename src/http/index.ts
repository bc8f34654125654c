export { isLocalhost, isLoopback, lookupWithLoopback } from './loopback.ts';
export { bodyOf, Refusal, type Served, type ServeOptions, serve } from './serve.ts';
