import { describe, expect, test } from 'vitest';
import { BY_DEFAULT, IN_PRODUCTION, REQUESTS } from '../endpoint/requests.ts';
import { askBoth, pythonWith, startEndpoints } from './python.ts';

const python = pythonWith();

describe.skipIf(python === undefined)('the endpoint in Python answers every request as the one in TypeScript', () => {
  test.each(['http', 'wsgi', 'asgi'])('served with %s of the standard library', async (kind) => {
    await using endpoints = await startEndpoints(python as string, kind);
    for (const asked of REQUESTS) {
      const [here, there] = await askBoth(endpoints, asked);
      expect({ what: asked.what, ...there }).toEqual({ what: asked.what, ...here });
      expect([asked.what, there.status]).toEqual([asked.what, asked.status]);
    }
  });

  test.each(['http', 'wsgi', 'asgi'])('fault 137: served with %s, it answers no stranger by default', async (kind) => {
    await using endpoints = await startEndpoints(python as string, kind);
    for (const asked of BY_DEFAULT) {
      const { what, status, answered: headers = {} } = asked;
      expect({ what, ...(await endpoints.ask(asked)) }).toMatchObject({ what, status, headers });
    }
  });

  test.each(['ENVIRONMENT', 'NODE_ENV'])('where %s says that it is production', async (variable) => {
    const env = { [variable]: 'production', SVC_RUN_TOKEN: 'of this run' };
    await using endpoints = await startEndpoints(python as string, 'wsgi', env);
    for (const asked of IN_PRODUCTION) {
      const { status, headers, body } = await endpoints.ask(asked);
      expect({ what: asked.what, status, headers }).toEqual({
        what: asked.what,
        status: asked.status,
        headers: asked.answered ?? {},
      });
      if (asked.code !== undefined) expect(body).toMatchObject({ error: { code: asked.code } });
    }
  });
});
