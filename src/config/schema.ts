import { z } from 'zod';
import { agentOptions } from '../agent/index.ts';
import { compareRules } from '../compare/index.ts';
import { identifiers } from '../contract/index.ts';
import type { Language } from '../files/index.ts';
import { pattern } from '../pattern.ts';
import { MIN_SECRET_CHARS } from '../redaction/index.ts';
import { replayOptions } from '../replay/index.ts';
import { gatePolicy } from '../report/index.ts';
import { mergedRules, toolSettings } from '../tools/index.ts';
import type { IgnoreFile } from './ignore-file.ts';
import { shardOfJob } from './job-shard.ts';
import type { OptionValues } from './option-values.ts';
import { overrides } from './overrides.ts';

const filled = z.string().min(1);

const texts = z.array(filled).default([]);
const optional = filled.optional();

const source = z.enum(['embedded', 'platform', 'files', 'command', 'none']).meta({
  description:
    'Where replay traces are read from: embedded (the receiver of agent-replay), platform (host and keys from the environment), files (`tracing.files`), command (`tracing.command`) or none (responses only).',
});

/** Needs a fixed address and keys if agent-replay does not start the agent. */
const receiver = z.strictObject({
  host: optional.meta({ description: 'Address that the receiver listens on; 127.0.0.1 by default.' }),
  port: z.int().min(1).max(65_535).optional().meta({ description: 'Port of the receiver; a free one by default.' }),
  publicKey: optional.meta({ description: 'Public key of the receiver; made for the run by default.' }),
  secretKey: optional.meta({ description: 'Secret key of the receiver; made for the run by default.' }),
});

const tracingParts = z
  .strictObject({
    source: source.default('embedded'),
    files: texts.meta({
      description: 'Files or folders of traces, in any format that `pin --from` reads, with `source: files`.',
    }),
    command: texts.meta({
      description:
        'Program and arguments that are asked for traces, with `source: command` (docs/sources.md). No shell reads them.',
    }),
    recorded: source.exclude(['embedded', 'none']).optional().meta({
      description:
        'Where recorded sessions are listed and pinned from; by default what `source` names, or the platform where traces are received.',
    }),
    forward: z.boolean().default(false).meta({
      description:
        'Agents trace to the receiver, which passes traces on to the platform (host and keys from the environment).',
    }),
    receiver: receiver.prefault({}),
    acknowledge: z
      .array(z.strictObject({ span: filled, attribute: filled }))
      .default([])
      .meta({
        description:
          'Attributes of steps that agent-replay does not know and need not compare (TRACE_UNREAD), each with the name of its span, or `*`.',
      }),
  })
  .refine(({ source, forward }) => !forward || source === 'embedded', {
    error: 'needs source: embedded',
    path: ['forward'],
  })
  .refine(({ source, recorded, files }) => ![source, recorded].includes('files') || files.length > 0, {
    error: 'name the files or folders that traces are read from',
    path: ['files'],
  })
  .refine(({ source, recorded, command }) => ![source, recorded].includes('command') || command.length > 0, {
    error: 'name the program that is asked for traces, and its arguments',
    path: ['command'],
  });

const tracing = z
  // Files and a command need a path or a command line, so the bare word does not select them.
  .union([source.exclude(['files', 'command']).transform((name) => tracingParts.parse({ source: name })), tracingParts])
  .meta({ description: 'Where replay traces are read from; with a fixed receiver in parts.' });

const request = z.strictObject({
  system: z
    .enum(['drop', 'keep'])
    .default('drop')
    .meta({ description: 'Whether recorded system messages are sent again; the agent under test brings its own.' }),
  from: z.enum(['auto', 'root', 'generation']).default('auto').meta({
    description:
      'What is sent for a turn: the input of its root span, or that of its first model call. auto takes the root if it holds the message of the user.',
  }),
});

const redact = z.strictObject({
  personal: z.boolean().default(true).meta({ description: 'Replace personal data in what was recorded.' }),
  request: z.boolean().default(false).meta({
    description: 'Replace in requests, too, what is replaced in recordings. This changes what is sent to the agent.',
  }),
  patterns: z
    .array(pattern)
    .default([])
    .meta({ description: 'Regular expressions. Text that matches one is replaced, in pins and in replays alike.' }),
  env: texts.meta({
    description:
      'Names of environment variables whose values are secret. Variables that look secret by name or value need no entry.',
  }),
  values: z
    .array(
      z
        .string()
        .min(
          MIN_SECRET_CHARS,
          `has fewer than ${MIN_SECRET_CHARS} characters, so ordinary words would be replaced, too`,
        ),
    )
    .default([])
    .meta({ description: 'Secret values: they are replaced in every output and in pins.' }),
});

const fork = z.strictObject({
  baseUrls: z
    .array(z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of an environment variable'))
    .default([])
    .meta({
      description:
        'Environment variables that tell the agent the address of its model, besides OPENAI_BASE_URL and ANTHROPIC_BASE_URL: `agent-replay fork` points them to itself.',
    }),
});

const shard = z
  .string()
  .transform((text, context) => {
    const named = text === 'auto' ? shardOfJob(process.env) : text;
    if (typeof named === 'string') return named;
    context.addIssue({ code: 'custom', message: named.error, input: text });
    return z.NEVER;
  })
  .pipe(z.string().regex(/^[1-9]\d{0,3}\/[1-9]\d{0,3}$/, 'expected a part such as 2/4, or auto'))
  .transform((text) => {
    const [index = 1, count = 1] = text.split('/').map(Number);
    return { index, count };
  })
  .refine(({ index, count }) => index <= count, {
    error: ({ input }) => {
      const { index, count } = input as { index: number; count: number };
      return `there is no part ${index} of ${count}`;
    },
  });

/**
 * Three recordings and three replays can be divided in 20 ways, two of which are as far apart as possible: p = .1, which
 * asks for another look.
 */
const LEAST_RUNS_BY_BASE = 3;

/** Before they are held against each other. */
const settingsAlone = z.strictObject({
  $schema: z.string().optional(),
  root: filled
    .default('.')
    .meta({ description: 'Folder that all paths are relative to. The folder of this file by default.' }),
  agent: agentOptions.optional(),
  agents: z
    .record(filled, agentOptions)
    .refine((agents) => Object.keys(agents).length > 0, { error: 'at least one agent is required' })
    .optional()
    .meta({ description: 'Several agents by id; a session runs against the one that it was recorded with.' }),
  sessions: z
    .union([filled, z.array(filled).min(1)])
    .default('replays/**/*.session.json')
    .meta({ description: 'Files or patterns of the pinned sessions.' }),
  allowEmpty: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether a run may find no session. Otherwise that is an error.' }),
  maxPins: z
    .int()
    .positive()
    .default(100_000)
    .meta({ description: 'Pinned sessions to find at most: a mistaken pattern ends there.' }),
  ...replayOptions.shape,
  tracing: tracing.prefault('embedded'),
  request: request.prefault({}),
  compare: compareRules.prefault({}),
  tools: toolSettings.prefault({}),
  ...gatePolicy.shape,
  overrides,
  prices: z
    .record(filled, z.strictObject({ input: z.number().nonnegative(), output: z.number().nonnegative() }))
    .default({})
    .meta({
      description:
        'What models cost, in US dollars per million tokens, by their names in traces; `*` stands for any text, and the longest name wins. What is not named is asked of @pydantic/genai-prices, if that package is installed.',
    }),
  quarantine: z
    .record(filled, z.strictObject({ until: z.iso.date(), why: filled }))
    .default({})
    .meta({
      description:
        'Sessions, by the name of their pins, that fail no run until a day (2026-12-31, ending at 00:00 UTC), and why: what a critical tool does and what compare.forbid names still fails.',
    }),
  offline: z.boolean().optional().meta({
    description:
      'The model answers as recorded, and every recorded path is replayed once: tests the code of the agent without a token (docs/offline.md). False by default, and true where Vitest watches.',
  }),
  base: z
    .string()
    .regex(/^[\w@][\w./@{}~^+-]*$/, 'expected a branch, a tag or a commit, such as origin/main')
    .optional()
    .meta({
      description:
        'The commit that this tree is judged against: both agents are started and replayed side by side. A branch, a tag or a commit; `main...` is the last commit in common with main.',
    }),
  baseRequired: z.boolean().default(false).meta({
    description:
      'If the agent of the base cannot be started, the run ends with "could not tell". Otherwise its sessions are judged by their recordings.',
  }),
  shard: shard.optional().meta({
    description:
      'The part of the run that this job does, such as 2/4; `auto`: as GitLab, Buildkite, CircleCI, AWS Batch or an indexed job of Kubernetes numbers it. `agent-replay merge` makes one report of all parts.',
  }),
  lastLook: z.boolean().default(false).meta({
    description:
      'In a shard: makes as many replays of each session as the last look at all of them reads, mostly ten, where `agent-replay merge` has asked for that.',
  }),
  redact: redact.prefault({}),
  fork: fork.prefault({}),
  identifiers: identifiers.prefault({}),
});

/** As written in `agent-replay.config.ts`. */
export const configSchema = settingsAlone.check(({ value, issues }) => {
  for (const [path, message] of contradictionsIn(value)) issues.push({ code: 'custom', path, message, input: value });
});

function* contradictionsIn(settings: z.infer<typeof settingsAlone>): Generator<[path: string[], message: string]> {
  const { agent, agents, base, gate, runs, overrides, compare, tools } = settings;
  if (agent !== undefined && agents !== undefined) yield [['agents'], 'give either agent or agents'];
  const reversed = mergedRules(tools.rules, { ...tools, rules: compare.tools });
  for (const [name, rules] of Object.entries(mergedRules(compare.tools, tools))) {
    if (rules.readOnly && rules.mutating) yield [['tools', name], 'is both readOnly and mutating'];
    const elsewhere = new Map<string, unknown>(Object.entries(reversed[name] ?? {}));
    for (const [key, value] of Object.entries(rules)) {
      const other = elsewhere.get(key);
      if (other !== value) yield [['tools', name, key], `is ${value} here and ${other} in compare.tools`];
    }
  }
  if (base === undefined) return;
  if (gate === 'every-run')
    yield [['base'], 'cannot be combined with gate: every-run: what the base does varies as what this tree does'];
  const leastRuns = Math.min(runs, ...overrides.flatMap((own) => own.runs ?? []));
  if (leastRuns < LEAST_RUNS_BY_BASE) {
    const why = 'with fewer on each side, no test can tell them apart';
    yield [['base'], `needs ${LEAST_RUNS_BY_BASE} runs or more: ${why}`];
  }
}

/** With all its defaults; `root` is absolute. */
export type Config = Omit<z.infer<typeof configSchema>, 'prices'> & {
  readonly prices: Prices;
  /** Absent if the configuration did not come from a folder. */
  readonly ignoreFile?: IgnoreFile;
  /** The language of all agents, if their folders tell it: messages then use its names. */
  readonly language?: Language;
  /** How it was read, so that another commit's can be read the same way. */
  readonly source?: ConfigSource;
};

interface ConfigSource {
  /** Where the search began. */
  readonly cwd: string;
  /** Absolute; undefined if there was none. */
  readonly file: string | undefined;
  readonly options: OptionValues;
}

/** By name of a model, in US dollars per million tokens; `from`: by which package, if the user has not given it. */
export type Prices = Readonly<
  Record<string, { readonly input: number; readonly output: number; readonly from?: string }>
>;
export type ConfigInput = z.input<typeof configSchema>;

/** Types a configuration, so that editors complete and check it. */
export function defineConfig(input: ConfigInput): ConfigInput {
  return input;
}

/** The named place, or else the source of traces, or else the platform. */
export function recordedAt({
  tracing: { source, recorded },
}: Pick<Config, 'tracing'>): 'platform' | 'files' | 'command' {
  return recorded ?? (source === 'embedded' || source === 'none' ? 'platform' : source);
}
