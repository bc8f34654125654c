import { test } from 'vitest';
import { PACKAGE } from '../../src/init/index.ts';
import { expectPromised, walkGettingStarted } from './getting-started.ts';
import { installLinked, installLocked, packInto } from './page.ts';

/** Three dozen processes, one after another. */
const TIMEOUT_MS = 300_000;

test(
  'docs/getting-started.md leads from an empty folder to a red comment on a pull request, command by command',
  async () => {
    const walked = await walkGettingStarted(
      { npm_config_offline: 'true' },
      {
        install: async (command, folder) => {
          if (command.includes(PACKAGE)) await packInto(folder);
          await installLinked(command, folder);
        },
        installLocked: (_, folder) => installLocked(folder),
      },
    );
    expectPromised(walked);
  },
  TIMEOUT_MS,
);
