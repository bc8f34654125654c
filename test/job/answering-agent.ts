import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers a question as it is recorded, but for `other` in its second run; the answer to `big` has 275 KB. */
export async function startAgent() {
  const server = createServer((request, response) => {
    const pieces: string[] = [];
    request.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
    request.on('end', () => {
      const question = pieces.join('');
      const { svc_replay_run_id = '' } = JSON.parse(question || '{}');
      const isOther = question.includes('other') && /\.r2\b/.test(svc_replay_run_id);
      const answer = question.includes('big') ? 'many words '.repeat(25_000) : isOther ? 'no' : 'answer to a';
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ svc_replay_run_id, output: answer, number: 1 }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/replay`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
