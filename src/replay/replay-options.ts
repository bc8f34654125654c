import { z } from 'zod';
import { carrier, MAX_RUNS } from '../contract/index.ts';

/** Node's timers take no more, and would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const milliseconds = z
  .int('expected a whole number of milliseconds')
  .positive('expected more than 0 milliseconds')
  .max(MAX_TIMER_MS, 'expected less than 25 days in milliseconds');

/** Headers that the client sets itself: a message's length, form and route. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headerName = z
  .string()
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'is not the name of a header')
  .refine((name) => !OWN_HEADERS.has(name.toLowerCase()), { error: 'is a header that only agent-replay itself sets' });
const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'is no value of a header: that is one line of characters up to U+00FF');

/** Every error message names the whole range. */
function wholeNumber(least: number, most: number): z.ZodInt {
  const range = `expected a whole number from ${least} to ${most}`;
  return z.int(range).min(least, range).max(most, range);
}

/** The settings that say how sessions are replayed. Times in milliseconds, sizes in bytes. */
export const replayOptions = z.strictObject({
  runs: wholeNumber(1, MAX_RUNS).default(5).meta({ description: 'How often each session is replayed.' }),
  workers: wholeNumber(1, 1_000).default(4).meta({ description: 'How many calls are in flight at once.' }),
  retries: wholeNumber(0, 10).default(2).meta({
    description:
      "How often a call is tried again when the connection is refused, or on status 429 or 503. Also how many replays of a session are made again because the model's provider failed.",
  }),
  idempotent: z.boolean().default(false).meta({
    description:
      'Whether a call may be tried again after its bytes were sent: after a broken connection, a time-out, 502 or 504.',
  }),
  carrier: carrier
    .default('both')
    .meta({ description: 'Where the metadata of a replay travels: in the body, in headers, or in both.' }),
  headers: z
    .record(headerName, headerValue)
    .default({})
    .meta({ description: 'Extra headers of each call, such as authorization. Never shown.' }),
  outputPointer: z
    .string()
    .regex(/^(?![^/])(?![\s\S]*~(?![01]))/, 'expected a JSON pointer')
    .optional()
    .meta({ description: 'JSON pointer to the output in the response, when it is under no usual name.' }),
  context: z.enum(['recorded', 'sequence']).default('recorded').meta({
    description:
      'Which earlier turns are sent with a turn: those of the recording, or those of this run, which then replays turn after turn.',
  }),
  maxCalls: z.int().positive().optional().meta({
    description: 'The most requests that a run sends, retries included; replays beyond that are "could not tell".',
  }),
  maxCost: z.number().positive().optional().meta({
    description:
      'The most that all calls may cost, in US dollars, by the prices and the token usage of the recordings and of what was replayed so far; replays beyond that are "could not tell".',
  }),
  timeouts: z
    .strictObject({
      call: milliseconds.default(120_000).meta({ description: 'From sending a call to the end of its response.' }),
      trace: milliseconds.default(30_000).meta({
        description:
          'From the end of the response to the complete trace; 120 s by default when traces are read from a platform.',
      }),
      late: milliseconds.default(2_000).meta({
        description:
          'How long the receiver must be silent at the end of a run that would fail: a late span may be all that is missing. A run that would pass waits for a quarter of it.',
      }),
      total: milliseconds.optional().meta({ description: 'For all replays together.' }),
    })
    .prefault({}),
  maxResponse: z
    .int()
    .positive()
    .default(10 * 1024 ** 2)
    .meta({ description: 'Largest response, in bytes.' }),
});
export type ReplayOptions = z.infer<typeof replayOptions>;
