import type { Json } from '../../json/index.ts';

/** A key that is absent was not recorded. */
export interface Payload {
  input?: Json;
  output?: Json;
}
