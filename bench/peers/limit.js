// The least time that the calls can take: a bare loop over keep-alive connections. `node limit.js URL SESSIONS RUNS
// WORKERS`. Uses Node's own client, and loads no other file.
import { Agent, request } from 'node:http';

const [url = '', sessions, runs, workers] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(workers) });
let left = Number(sessions) * Number(runs);

function call(number) {
  const body = JSON.stringify({ input: `question ${number}`, is_replay: true, svc_replay_run_id: `r${number}` });
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve(JSON.parse(text)));
    });
    sent.on('error', reject).end(body);
  });
}

async function work() {
  while (left > 0) await call(left--);
}

await Promise.all(Array.from({ length: Number(workers) }, work));
agent.destroy();
