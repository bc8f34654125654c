import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { within } from '../../src/bounded/index.ts';

/** Holds up all that this process does, as a machine with much else to do can. */
function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('what came while the process was held up is in time, although its timer is over', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  const connected = within(1, once(socket, 'connect'));
  // Behind the connecting, which the system then does.
  process.nextTick(() => holdUp(20));
  expect(await connected).toBeDefined();
});

test('what never comes is undefined when the time is over', async () => {
  expect(await within(1, new Promise(() => {}))).toBeUndefined();
});
