import type { Json } from '../../json/index.ts';

/** Input and output of an observation. A key that is absent was not recorded. */
export interface Payload {
  input?: Json;
  output?: Json;
}
