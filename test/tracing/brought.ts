import type { Arrival } from '../../src/tracing/mapping/trace-record.ts';
import type { Delivery } from '../../src/tracing/receiver/delivery.ts';

/** The export that brought these arrivals, for a store without a receiver around it. */
export function brought(arrivals: readonly Arrival[] = []): [readonly Arrival[], Delivery] {
  return [arrivals, { bytes: 1, keptBytes: 1, arrivals: () => [...arrivals], letGo: () => {} }];
}
