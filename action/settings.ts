/** A setting of the configuration as an input: what its text means is known without loading the configuration. */
export interface Setting {
  readonly input: string;
  /** In the configuration, such as `agent.timeout`. */
  readonly path: string;
  /** `list` and `numbers`: separated by commas or lines. `pairs`: `NAME=VALUE` on each line. */
  readonly kind: 'text' | 'number' | 'boolean' | 'list' | 'numbers' | 'pairs';
  readonly choices?: readonly string[];
}

/** Written by scripts/action.ts from the schema of the configuration: `npm run generate:action`. */
export const SETTINGS: readonly Setting[] = [
  { input: 'root', path: 'root', kind: 'text' },
  { input: 'agent-id', path: 'agent.id', kind: 'text' },
  { input: 'start', path: 'agent.command', kind: 'text' },
  { input: 'url', path: 'agent.url', kind: 'text' },
  { input: 'agent-cwd', path: 'agent.cwd', kind: 'text' },
  { input: 'agent-env', path: 'agent.env', kind: 'pairs' },
  { input: 'agent-timeout', path: 'agent.timeout', kind: 'number' },
  { input: 'agent-reuse-existing-server', path: 'agent.reuseExistingServer', kind: 'boolean' },
  {
    input: 'agent-graceful-shutdown-signal',
    path: 'agent.gracefulShutdown.signal',
    kind: 'text',
    choices: ['SIGTERM', 'SIGINT'],
  },
  { input: 'agent-graceful-shutdown-timeout', path: 'agent.gracefulShutdown.timeout', kind: 'number' },
  { input: 'agent-stdout', path: 'agent.stdout', kind: 'text', choices: ['pipe', 'ignore'] },
  { input: 'agent-stderr', path: 'agent.stderr', kind: 'text', choices: ['pipe', 'ignore'] },
  { input: 'agent-wait-url', path: 'agent.wait.url', kind: 'text' },
  { input: 'agent-wait-status', path: 'agent.wait.status', kind: 'numbers' },
  { input: 'agent-wait-stdout', path: 'agent.wait.stdout', kind: 'text' },
  { input: 'agent-wait-stderr', path: 'agent.wait.stderr', kind: 'text' },
  { input: 'agent-watch', path: 'agent.watch', kind: 'list' },
  { input: 'sessions', path: 'sessions', kind: 'text' },
  { input: 'allow-empty', path: 'allowEmpty', kind: 'boolean' },
  { input: 'runs', path: 'runs', kind: 'number' },
  { input: 'workers', path: 'workers', kind: 'number' },
  { input: 'retries', path: 'retries', kind: 'number' },
  { input: 'idempotent', path: 'idempotent', kind: 'boolean' },
  { input: 'carrier', path: 'carrier', kind: 'text', choices: ['both', 'body', 'headers'] },
  { input: 'headers', path: 'headers', kind: 'pairs' },
  { input: 'output-pointer', path: 'outputPointer', kind: 'text' },
  { input: 'context', path: 'context', kind: 'text', choices: ['recorded', 'sequence'] },
  { input: 'order', path: 'order', kind: 'text', choices: ['parallel', 'serial'] },
  { input: 'max-calls', path: 'maxCalls', kind: 'number' },
  { input: 'timeouts-call', path: 'timeouts.call', kind: 'number' },
  { input: 'timeouts-trace', path: 'timeouts.trace', kind: 'number' },
  { input: 'timeouts-total', path: 'timeouts.total', kind: 'number' },
  { input: 'max-response', path: 'maxResponse', kind: 'number' },
  { input: 'tracing', path: 'tracing', kind: 'text', choices: ['embedded', 'platform', 'phoenix', 'none'] },
  {
    input: 'tracing-source',
    path: 'tracing.source',
    kind: 'text',
    choices: ['embedded', 'platform', 'phoenix', 'files', 'none'],
  },
  { input: 'tracing-files', path: 'tracing.files', kind: 'list' },
  { input: 'tracing-receiver-host', path: 'tracing.receiver.host', kind: 'text' },
  { input: 'tracing-receiver-port', path: 'tracing.receiver.port', kind: 'number' },
  { input: 'tracing-receiver-public-key', path: 'tracing.receiver.publicKey', kind: 'text' },
  { input: 'tracing-receiver-secret-key', path: 'tracing.receiver.secretKey', kind: 'text' },
  { input: 'request-system', path: 'request.system', kind: 'text', choices: ['drop', 'keep'] },
  {
    input: 'strictness',
    path: 'compare.strictness',
    kind: 'text',
    choices: ['exact', 'wording', 'steps', 'behaviour', 'outcome'],
  },
  { input: 'compare-ignore', path: 'compare.ignore', kind: 'list' },
  { input: 'compare-include', path: 'compare.include', kind: 'list' },
  { input: 'compare-identities', path: 'compare.identities', kind: 'text', choices: ['renamed', 'literal'] },
  { input: 'fail-on', path: 'failOn', kind: 'list' },
  { input: 'fail-on-changed', path: 'failOn.changed', kind: 'text', choices: ['error', 'warn', 'off'] },
  { input: 'fail-on-unsettled', path: 'failOn.unsettled', kind: 'text', choices: ['error', 'warn', 'off'] },
  { input: 'fail-on-flaky', path: 'failOn.flaky', kind: 'text', choices: ['error', 'warn', 'off'] },
  { input: 'fail-on-inconclusive', path: 'failOn.inconclusive', kind: 'text', choices: ['error', 'warn'] },
  { input: 'fail-on-cause', path: 'failOn.cause', kind: 'pairs' },
  { input: 'min-agreement', path: 'minAgreement', kind: 'number' },
  { input: 'redact-personal', path: 'redact.personal', kind: 'boolean' },
  { input: 'redact-request', path: 'redact.request', kind: 'boolean' },
  { input: 'identifiers-brand', path: 'identifiers.brand', kind: 'text' },
  { input: 'identifiers-tracing', path: 'identifiers.tracing', kind: 'text' },
];
