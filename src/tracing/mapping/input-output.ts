import type { Json } from '../../contract/index.ts';

/** Input and output of an observation. A key that is absent was not recorded. */
export interface Payload {
  input?: Json;
  output?: Json;
}
