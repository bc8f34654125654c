import type { Identifiers } from '../../contract/index.ts';
import type { ReadApi } from './api.ts';
import { bothApis } from './both-apis.ts';
import { type Connection, unexpectedAnswer } from './connection.ts';
import { observationsApi } from './observations-api.ts';
import { tracesApi } from './traces-api.ts';

/** @throws AgentReplayError `PLATFORM_UNEXPECTED_ANSWER` if the server has neither */
export async function chooseApi(
  connection: Connection,
  options: { identifiers?: Identifiers | undefined; signal: AbortSignal },
): Promise<ReadApi> {
  const [older, newer] = [tracesApi(connection, options), observationsApi(connection, options)];
  if (await older.probe(options.signal)) return bothApis(older, newer);
  if (await newer.probe(options.signal)) return newer;
  throw unexpectedAnswer(connection.host, 'GET /api/public/traces and /api/public/v2/observations: 404');
}
