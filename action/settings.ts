/** A setting of the configuration as an input. The action reads its text without loading the configuration's schema. */
export interface Setting {
  readonly input: string;
  /** Path in the configuration, such as `agent.timeout`. */
  readonly path: string;
  readonly kind: 'text' | 'number';
  readonly choices?: readonly string[];
}

/** Written by scripts/action.ts from the schema of the configuration: `npm run generate:action`. */
export const SETTINGS: readonly Setting[] = [
  { input: 'start', path: 'agent.command', kind: 'text' },
  { input: 'url', path: 'agent.url', kind: 'text' },
  { input: 'runs', path: 'runs', kind: 'number' },
  { input: 'workers', path: 'workers', kind: 'number' },
  { input: 'max-calls', path: 'maxCalls', kind: 'number' },
  { input: 'max-cost', path: 'maxCost', kind: 'number' },
  { input: 'tools', path: 'tools', kind: 'text', choices: ['live', 'recorded', 'never'] },
  { input: 'gate', path: 'gate', kind: 'text', choices: ['every-run', 'shift'] },
  { input: 'base', path: 'base', kind: 'text' },
  { input: 'shard', path: 'shard', kind: 'text' },
];
