import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../examples/model-server/server.ts';
import { AGENTS, withTools } from './edits.ts';
import { expectJudged } from './judged.ts';
import { copyOf } from './project.ts';

let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
});
afterAll(() => model.close());

describe.each(AGENTS)('$example', ({ example, edits, ...agent }) => {
  test.each(edits.map((planted) => ({ name: planted[0], does: planted[1], planted })))(
    '$name: $does',
    async ({ planted }) => {
      await using folder = await copyOf(example, { ...agent, config: withTools(agent) });
      await folder.edit(planted[2]);
      await expectJudged(folder, planted, { live: ['--set', `agent.env.MODEL_BASE_URL=${model.url}`] });
    },
  );
});
