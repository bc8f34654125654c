import type { Identifiers } from '../../contract/index.ts';
import type { ReadApi } from './api.ts';
import { type Connection, unexpectedAnswer } from './connection.ts';
import { observationsApi } from './observations-api.ts';
import { tracesApi } from './traces-api.ts';

/**
 * The older API where a server has both: traces of older SDKs reach the other only minutes later, or never.
 * @throws AgentReplayError `PLATFORM_UNEXPECTED_ANSWER` if the server has neither
 */
export async function chooseApi(
  connection: Connection,
  options: { identifiers?: Identifiers | undefined; signal: AbortSignal },
): Promise<ReadApi> {
  for (const api of [tracesApi(connection, options), observationsApi(connection, options)]) {
    if (await api.probe(options.signal)) return api;
  }
  throw unexpectedAnswer(connection.host, 'GET /api/public/traces and /api/public/v2/observations: 404');
}
