import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../examples/model-server/server.ts';
import { AGENTS } from './edits.ts';
import { expectJudged } from './judged.ts';
import { copyOf } from './project.ts';

let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
});
afterAll(() => model.close());

describe.each(AGENTS)('$example', ({ example, start, env = {}, reads, edits }) => {
  const config = {
    tools: { '*': { replay: 'recorded' }, ...Object.fromEntries(reads.map((name) => [name, { replay: 'live' }])) },
  };

  test('unchanged, every turn is as recorded without a model', async () => {
    await using folder = await copyOf(example, { start, env, config });
    expect(await folder.call('run', '--offline', '--quiet')).toMatchObject({ code: 0 });
  });

  test.each(edits.map((planted) => ({ name: planted[0], does: planted[1], planted })))(
    '$name: $does',
    async ({ planted }) => {
      await using folder = await copyOf(example, { start, env, config });
      await folder.edit(planted[2]);
      await expectJudged(folder, planted, { live: ['--set', `agent.env.MODEL_BASE_URL=${model.url}`] });
    },
  );
});
