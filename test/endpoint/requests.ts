/**
 * Requests for the endpoint helper of every language: test/endpoint sends them to the one in TypeScript, test/python to
 * the one in Python.
 */
export interface AskedEndpoint {
  readonly what: string;
  /** The endpoint of {@link OPTIONS} to ask. */
  readonly endpoint?: keyof typeof OPTIONS;
  readonly method?: 'GET' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes and texts are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly status: number;
  readonly code?: string;
  readonly issues?: readonly { readonly path: string; readonly message?: string }[];
  /** Headers that the answer has. */
  readonly answered?: Readonly<Record<string, string>>;
  /** What the answer has as its `output`: {@link EchoedTurn}. */
  readonly turn?: Partial<EchoedTurn>;
}

/** The agent behind the endpoints answers with its turn. */
export interface EchoedTurn {
  readonly messages: unknown;
  readonly input: string;
  readonly model: string | null;
  readonly prior: boolean | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The endpoints, and the options that each has. `agentId` is `support` for all. */
export const OPTIONS = {
  plain: { enabled: true },
  token: { enabled: true, token: 'token' },
  small: { enabled: true, maxBodyBytes: 100 },
  acme: { enabled: true, identifiers: { brand: 'acme' } },
  off: { enabled: false },
  byDefault: {},
} as const;

/** Inputs for which the agent does something other than to answer with its turn. */
export const ODD = {
  raises: 'raise an error',
  responds: 'answer 429',
  unsayable: 'answer with what is no JSON',
  ids: 'answer with ids of its own',
  untraced: 'trace nothing',
} as const;

const REPLAY = { is_replay: true, svc_replay_run_id: 'r-1' };
const latin1 = Buffer.from('{"is_replay":true,"input":"caf\xe9"}', 'latin1');
const says = (...parts: readonly unknown[]) => [{ role: 'user', content: parts }];

export const REQUESTS: readonly AskedEndpoint[] = [
  {
    what: 'metadata in the body',
    body: {
      ...REPLAY,
      input: 'hello',
      svc_original_session_id: 's-1',
      svc_turn_trace_id: 't-1',
      svc_include_prior_context: false,
    },
    status: 200,
    turn: {
      prior: false,
      metadata: {
        is_replay: 'true',
        svc_replay_run_id: 'r-1',
        svc_original_session_id: 's-1',
        svc_turn_trace_id: 't-1',
        svc_include_prior_context: 'false',
        agent_id: 'support',
        session_id: 'replay-s-1',
      },
    },
  },
  {
    what: 'metadata in headers',
    body: { input: 'hello' },
    headers: {
      'X-Svc-Replay': 'true',
      'X-Svc-Replay-Run-Id': 'r-1',
      'X-Svc-Original-Session-Id': 's-1',
      'X-Svc-Turn-Trace-Id': 't-1',
      'X-Svc-Include-Prior-Context': 'False',
    },
    status: 200,
    turn: {
      prior: false,
      metadata: {
        is_replay: 'true',
        svc_replay_run_id: 'r-1',
        svc_original_session_id: 's-1',
        svc_turn_trace_id: 't-1',
        svc_include_prior_context: 'false',
        agent_id: 'support',
        session_id: 'replay-s-1',
      },
    },
  },
  {
    what: 'the body and headers that say something else',
    body: { ...REPLAY, input: 'hello', svc_include_prior_context: true },
    headers: { 'X-Svc-Replay-Run-Id': 'r-2', 'X-Svc-Include-Prior-Context': 'false', 'X-Svc-Replay': 'false' },
    status: 200,
    turn: { prior: true },
  },
  {
    what: 'null for what it does not have',
    body: { ...REPLAY, input: 'hello', messages: null, model: null, svc_turn_trace_id: null },
    status: 200,
    turn: { model: null, messages: [{ role: 'user', content: 'hello' }] },
  },
  { what: 'a mark of the byte order', body: '\ufeff{"is_replay":true,"input":"x"}', status: 200 },
  { what: 'text beyond ASCII', body: { ...REPLAY, input: 'café 🌲' }, status: 200, turn: { input: 'café 🌲' } },
  {
    what: 'messages and an input',
    body: { ...REPLAY, messages: says('one'), input: 'two' },
    status: 200,
    turn: { input: 'one' },
  },
  {
    what: 'messages of shapes that nobody knows',
    body: {
      ...REPLAY,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'one' },
            { type: 'image', source: {} },
          ],
          custom: { nested: [1] },
        },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'f', arguments: {} }] },
        { role: 'tool', tool_call_id: 'c', content: 'result' },
      ],
    },
    status: 200,
    turn: { input: 'one' },
  },
  {
    what: 'no messages in the list, and an input',
    body: { ...REPLAY, messages: [], input: 'hello' },
    status: 200,
    turn: { messages: [{ role: 'user', content: 'hello' }] },
  },
  ...(
    [
      ['OpenAI', { role: 'user', content: 'hello' }],
      [
        'Anthropic',
        {
          role: 'user',
          content: [
            { type: 'tool_result', content: 'no' },
            { type: 'text', text: 'hello' },
          ],
        },
      ],
      ['OpenTelemetry', { role: 'user', parts: [{ type: 'text', content: 'hello' }] }],
      [
        'the AI SDK',
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'hel' },
            { type: 'text', text: 'lo' },
          ],
        },
      ],
    ] as const
  ).map(
    ([shape, message]): AskedEndpoint => ({
      what: `an input in messages in the shape of ${shape}`,
      body: { ...REPLAY, messages: [{ role: 'user', content: 'earlier' }, message, { role: 'user', content: ' ' }] },
      status: 200,
      turn: { input: 'hello' },
    }),
  ),
  {
    what: 'booleans as text and fields that nobody knows',
    body: { input: 'hello', is_replay: ' True', svc_include_prior_context: '1', future_field: { a: 1 } },
    status: 200,
    turn: { prior: true },
  },
  {
    what: 'a session id that is longer than SDKs keep',
    body: { ...REPLAY, input: 'hello', svc_original_session_id: 's'.repeat(400) },
    status: 200,
  },
  {
    what: 'another brand',
    endpoint: 'acme',
    body: { input: 'x' },
    headers: { 'X-Acme-Replay': 'true', 'X-Acme-Replay-Run-Id': 'r-2' },
    status: 200,
  },
  { what: 'a turn with ids of its own', body: { ...REPLAY, input: ODD.ids }, status: 200 },

  ...(
    [
      ['no message and no input', { ...REPLAY }, [{ path: '', message: 'messages or input is required' }]],
      ['no messages in the list', { ...REPLAY, messages: [] }, [{ path: '/messages' }]],
      [
        'a message without a role',
        { ...REPLAY, messages: [{}] },
        [{ path: '/messages/0', message: 'a message needs a role' }],
      ],
      [
        'two bad messages',
        { ...REPLAY, messages: ['x', { role: 'user' }, {}] },
        [{ path: '/messages/0' }, { path: '/messages/2' }],
      ],
      ['messages that are no list', { ...REPLAY, messages: 'x' }, [{ path: '/messages' }]],
      ['an input that is no text', { ...REPLAY, input: 7 }, [{ path: '/input' }]],
      ['a model that is no text', { ...REPLAY, input: 'x', model: {} }, [{ path: '/model' }]],
      ['no is_replay', { input: 'hello' }, [{ path: '/is_replay', message: 'must be true' }]],
      ['is_replay false', { is_replay: false, input: 'hello' }, [{ path: '/is_replay', message: 'must be true' }]],
      [
        'a run id that SDKs would drop',
        { ...REPLAY, input: 'x', svc_replay_run_id: 'r'.repeat(201) },
        [{ path: '/svc_replay_run_id' }],
      ],
      [
        'a run id that is no text',
        { is_replay: true, input: 'x', svc_replay_run_id: 7 },
        [{ path: '/svc_replay_run_id' }],
      ],
      ['two mistakes', { is_replay: 'maybe', input: {} }, [{ path: '/input' }, { path: '/is_replay' }]],
      ['a list for a body', [], [{ path: '' }]],
      ['nothing but null', 'null', [{ path: '' }]],
      ['a number for a body', '7', [{ path: '' }]],
    ] as const
  ).map(([what, body, issues]): AskedEndpoint => ({ what, body, issues, status: 400, code: 'REQUEST_INVALID' })),
  {
    what: 'a header that is no boolean',
    body: { input: 'x' },
    headers: { 'X-Svc-Replay': 'perhaps' },
    status: 400,
    code: 'REQUEST_INVALID',
    issues: [{ path: '/x-svc-replay' }],
  },

  ...(
    [
      ['is cut off', '{"input": "hel'],
      ['is empty', ''],
      ['is blank', ' \n'],
      ['goes on after its end', '{"is_replay":true,"input":"x"} {}'],
      ['holds a number that is none', '{"is_replay":true,"input":"x","n":NaN}'],
      ['is nested too deeply', `${'['.repeat(5000)}${']'.repeat(5000)}`],
      ['is one level too deep', `{"is_replay":true,"input":"x","deep":${'['.repeat(1000)}${']'.repeat(1000)}}`],
      ['is in another encoding than UTF-8', latin1],
    ] as const
  ).map(([what, body]): AskedEndpoint => ({ what: `a body that ${what}`, body, status: 400, code: 'BODY_NOT_JSON' })),
  {
    what: 'a body that is deep',
    body: `{"is_replay":true,"input":"x","deep":${'['.repeat(500)}${']'.repeat(500)}}`,
    status: 200,
  },
  {
    what: 'a body above the limit',
    endpoint: 'small',
    body: { ...REPLAY, input: 'x'.repeat(200) },
    status: 413,
    code: 'BODY_TOO_LARGE',
  },
  { what: 'a body below the limit', endpoint: 'small', body: { ...REPLAY, input: 'x' }, status: 200 },

  ...['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''].map(
    (type): AskedEndpoint => ({
      what: `the content type ${type || 'of nothing'}, which a web page could send to a developer's machine unasked`,
      headers: { 'content-type': type },
      body: { ...REPLAY, input: 'x' },
      status: 415,
      code: 'CONTENT_TYPE_UNSUPPORTED',
    }),
  ),
  ...['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.replay+json'].map(
    (type): AskedEndpoint => ({
      what: `the content type ${type}`,
      headers: { 'content-type': type },
      body: { ...REPLAY, input: 'x' },
      status: 200,
    }),
  ),
  {
    what: 'a body that is compressed',
    headers: { 'content-encoding': 'gzip' },
    body: { ...REPLAY, input: 'x' },
    status: 415,
    code: 'CONTENT_TYPE_UNSUPPORTED',
  },
  { what: 'the method GET', method: 'GET', status: 405, code: 'METHOD_NOT_ALLOWED', answered: { allow: 'POST' } },
  {
    what: 'whether a run has started it, and none has',
    endpoint: 'token',
    method: 'GET',
    headers: { 'x-svc-replay-start': 'a nonce' },
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    answered: { allow: 'POST', 'x-svc-replay-start': 'none' },
  },
  {
    what: 'whether a run has started it, where it is switched off',
    endpoint: 'off',
    method: 'GET',
    headers: { 'x-svc-replay-start': 'a nonce' },
    status: 404,
    code: 'NOT_FOUND',
    answered: { 'x-svc-replay-off': 'disabled', 'x-svc-replay-start': 'none' },
  },

  ...(
    [
      ['no token', undefined, 401],
      ['another token', 'Bearer tokem', 401],
      ['a part of the token', 'Bearer toke', 401],
      ['another scheme', 'Basic token', 401],
      ['the token', 'Bearer token', 200],
      ['the token, scheme in lower case', 'bearer  token ', 200],
    ] as const
  ).map(
    ([what, authorization, status]): AskedEndpoint => ({
      what,
      endpoint: 'token',
      headers: authorization === undefined ? {} : { authorization },
      body: { ...REPLAY, input: 'x' },
      status,
      ...(status === 401 && { code: 'UNAUTHORIZED', answered: { 'www-authenticate': 'Bearer' } }),
    }),
  ),
  {
    what: 'no token, and nothing that could be read',
    endpoint: 'token',
    headers: { 'content-type': 'text/plain' },
    body: 'x',
    status: 401,
    code: 'UNAUTHORIZED',
    answered: { 'www-authenticate': 'Bearer' },
  },
  {
    what: 'an endpoint that is off',
    endpoint: 'off',
    headers: { 'x-svc-run-token': 'of this run' },
    body: { ...REPLAY, input: 'x' },
    status: 404,
    code: 'NOT_FOUND',
    answered: { 'x-svc-replay-off': 'disabled' },
  },

  { what: 'a turn that fails', body: { ...REPLAY, input: ODD.raises }, status: 500, code: 'TURN_FAILED' },
  { what: 'an output that is no JSON', body: { ...REPLAY, input: ODD.unsayable }, status: 500, code: 'TURN_FAILED' },
  {
    what: 'a turn whose metadata nobody took',
    body: { ...REPLAY, input: ODD.untraced },
    status: 500,
    code: 'TURN_NOT_TRACED',
  },
  {
    what: 'a turn that answers by itself',
    body: { ...REPLAY, input: ODD.responds },
    status: 429,
    answered: { 'retry-after': '2' },
  },
];

/** `printf %s 'a nonce' | openssl dgst -sha256 -hmac 'of this run'` */
const PROOF = '0ee41568973a95b90a1b5a2d8194f48f4600eed2b91d04b92da3ea5dcedd207d';

/** The same in production, where only the run that has started the agent is answered: `SVC_RUN_TOKEN` is `of this run`. */
export const IN_PRODUCTION: readonly AskedEndpoint[] = [
  {
    what: 'in production, no token of a run',
    endpoint: 'byDefault',
    body: { ...REPLAY, input: 'x' },
    status: 404,
    code: 'NOT_FOUND',
    answered: { 'x-svc-replay-off': 'closed' },
  },
  {
    what: 'in production, the token of another run',
    endpoint: 'byDefault',
    headers: { 'x-svc-run-token': 'of another' },
    body: { ...REPLAY, input: 'x' },
    status: 404,
    code: 'NOT_FOUND',
    answered: { 'x-svc-replay-off': 'closed' },
  },
  {
    what: 'in production, the token of this run',
    endpoint: 'byDefault',
    headers: { 'x-svc-run-token': 'of this run' },
    body: { ...REPLAY, input: 'x' },
    status: 200,
  },
  {
    what: 'in production, whether this run has started it',
    endpoint: 'byDefault',
    method: 'GET',
    headers: { 'x-svc-replay-start': 'a nonce' },
    status: 404,
    code: 'NOT_FOUND',
    answered: { 'x-svc-replay-off': 'closed', 'x-svc-replay-start': PROOF },
  },
  {
    what: 'in production, an endpoint that is switched off',
    endpoint: 'off',
    headers: { 'x-svc-run-token': 'of this run' },
    body: { ...REPLAY, input: 'x' },
    status: 404,
    code: 'NOT_FOUND',
    answered: { 'x-svc-replay-off': 'disabled' },
  },
];

/** Asked over HTTP, on 127.0.0.1, by a caller without a token: whom an endpoint takes that nobody enabled. */
export const BY_DEFAULT: readonly AskedEndpoint[] = [
  { what: 'by a caller on this machine', status: 200 },
  ...(
    [
      ['x-forwarded-for', '127.0.0.1'],
      ['x-forwarded-proto', 'http'],
      ['x-real-ip', '127.0.0.1'],
      ['forwarded', 'for=127.0.0.1'],
      ['via', '1.1 proxy'],
      ['host', 'rebound.example'],
      ['host', '127.0.0.1.example'],
      ['origin', 'https://page.example'],
      ['origin', 'null'],
    ] as const
  ).map(
    ([name, value]): AskedEndpoint => ({
      what: `with ${name}: ${value}`,
      headers: { [name]: value },
      status: 404,
      code: 'NOT_FOUND',
      answered: { 'x-svc-replay-off': 'closed' },
    }),
  ),
].map((asked) => ({ ...asked, endpoint: 'byDefault', body: { ...REPLAY, input: 'x' } }));

/** What is posted: bytes, a text, or JSON. */
export function bodyOf({ body }: AskedEndpoint): string | Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined || typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}

export function headersOf({ headers }: AskedEndpoint): Record<string, string> {
  return { 'content-type': 'application/json', ...headers };
}
