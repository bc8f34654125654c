/** Why a request is answered with an error, by a stable code. */
export type RefusalCode =
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'UNAUTHORIZED'
  | 'CONTENT_TYPE_UNSUPPORTED'
  | 'BODY_TOO_LARGE'
  | 'BODY_INCOMPLETE'
  | 'BODY_NOT_JSON'
  | 'REQUEST_INVALID'
  | 'TURN_FAILED'
  | 'TURN_NOT_TRACED'
  | 'TRACE_NOT_SENT';

/** The path is a JSON pointer into the body, or the name of a header in lower case. */
export interface Mistake {
  readonly path: string;
  readonly message: string;
}

export interface RefusalDetails {
  readonly issues?: readonly Mistake[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that is an error: `{ "error": { "code", "message", "issues"? } }`, the same for the same reason. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: RefusalCode;
  readonly details: RefusalDetails;

  constructor(status: number, code: RefusalCode, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }

  response(): Response {
    const { code, message, status, details } = this;
    const { issues, headers } = details;
    return Response.json({ error: { code, message, ...(issues && { issues }) } }, { status, headers: { ...headers } });
  }
}
