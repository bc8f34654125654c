import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../examples/model-server/server.ts';
import { AGENTS } from './edits.ts';
import { copyOf } from './project.ts';

let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
});
afterAll(() => model.close());

const CODES = { nothing: 0, code: 1, model: 2 };

describe.each(AGENTS)('$example', ({ example, start, env = {}, reads, edits }) => {
  const config = {
    tools: { '*': { replay: 'recorded' }, ...Object.fromEntries(reads.map((name) => [name, { replay: 'live' }])) },
  };

  test('unchanged, every turn is as recorded without a model', async () => {
    await using folder = await copyOf(example, { start, env, config });
    expect(await folder.call('run', '--offline', '--quiet')).toMatchObject({ code: 0 });
  });

  test.each(edits.map(([name, does, edit, told = /as recorded/]) => ({ name, does, edit, told })))(
    '$name: $does',
    async ({ does, edit, told }) => {
      await using folder = await copyOf(example, { start, env, config });
      await folder.edit(edit);
      const { code, stdout } = await folder.call('run', '--offline', '--quiet');
      const offline = { code, told: stdout.replaceAll(/\s+/g, ' ') };
      expect(offline).toEqual({ code: CODES[does], told: expect.stringMatching(told) });
      // With a model that always says the same, whatever the edit changes in a run shows.
      const live = await folder.call(
        'run',
        '--quiet',
        '--runs',
        '1',
        '--gate',
        'every-run',
        '--set',
        `agent.env.MODEL_BASE_URL=${model.url}`,
      );
      if (does !== 'model') expect(live).toMatchObject({ code: CODES[does] });
    },
  );
});
