import { expect, test } from 'vitest';
import { Started } from '../../src/job/running/started.ts';

function part(name: string, ended: string[], fails = false): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      ended.push(name);
      if (fails) throw new Error(`${name} does not end`);
    },
  };
}

test('what was started is ended in reverse, also when one of it cannot be, and the failure is told', async () => {
  const ended: string[] = [];
  const started = new Started();
  started.use(part('receiver', ended));
  started.use(part('agent', ended, true));
  started.use(part('watch', ended));
  await expect(started[Symbol.asyncDispose]()).rejects.toThrow('agent does not end');
  expect(ended).toEqual(['watch', 'agent', 'receiver']);
  await started[Symbol.asyncDispose]();
  expect(ended).toHaveLength(3);
});

test('what was handed over is ended by its new owner only', async () => {
  const ended: string[] = [];
  let owner: Started;
  {
    await using starting = new Started();
    starting.use(part('agent', ended));
    owner = starting.move();
  }
  expect(ended).toEqual([]);
  await owner[Symbol.asyncDispose]();
  expect(ended).toEqual(['agent']);
});
