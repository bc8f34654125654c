import { test } from 'vitest';
import { PACKAGE } from '../../src/init/index.ts';
import { expectPromised, walkGettingStarted } from './getting-started.ts';
import { ended, packInto } from './page.ts';

const TIMEOUT_MS = 1_200_000;

test(
  'docs/getting-started.md holds with what npm installs, here and where the workflow runs',
  async () => {
    const walked = await walkGettingStarted(
      {},
      {
        install: async (command, folder) => {
          if (command.includes(PACKAGE)) await packInto(folder);
          await ended('bash', ['-c', command], folder);
        },
        installLocked: (command, folder) => ended('bash', ['-c', command], folder),
      },
    );
    expectPromised(walked);
  },
  TIMEOUT_MS,
);
