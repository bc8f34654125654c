import { compareRules } from '../../src/compare/index.ts';
import { identifiers } from '../../src/contract/index.ts';
import type { Json } from '../../src/json/index.ts';
import { startToolsEndpoint, ToolPolicies, type ToolsEndpoint, toolSettings } from '../../src/tools/index.ts';
import type { Recording } from '../../src/trace/index.ts';

/** A recorded call: its result or its failure. `by` is the index of the call inside which it was made. */
export interface RecordedTool {
  readonly name: string;
  readonly input: Json;
  readonly output?: Json;
  readonly failed?: string;
  readonly by?: number;
  readonly type?: 'tool' | 'generation';
}

export const begun = { session: 's', turn: 1, run: 1 };

/** A tools endpoint whose replays are all of one recording, of these calls. */
export async function endpointOf(
  calls: readonly RecordedTool[],
  settings: Parameters<typeof toolSettings.parse>[0] = 'recorded',
  options: Partial<Parameters<typeof startToolsEndpoint>[0]> = {},
): Promise<ToolsEndpoint> {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const recording: Recording = {
    observations: calls.map(({ name, input, output, failed, by, type = 'tool' }, index) => ({
      id: `t${index}`,
      parentId: by === undefined ? null : `t${by}`,
      type,
      name,
      startTime: at(index * 10),
      endTime: at(index * 10 + 5),
      input,
      ...(output !== undefined && { output }),
      ...(failed !== undefined && { level: 'ERROR' as const, statusMessage: failed }),
    })),
  };
  const recordings = [recording];
  const policies = new ToolPolicies(toolSettings.parse(settings), {});
  return startToolsEndpoint({
    policies: () => policies,
    outside: (tool) => policies.of(tool),
    rules: compareRules.parse({}),
    identifiers: identifiers.parse({}),
    recorded: () => ({ recordings, asPinned: (value) => value }),
    ...options,
  });
}
