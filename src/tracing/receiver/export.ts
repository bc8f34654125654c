import { type Export, OtlpError, readOtlpJson } from '../mapping/otlp.ts';
import { readOtlpProtobuf } from '../mapping/protobuf.ts';

/**
 * Reads the body of one OTLP export. If the content type is not JSON, the body is protobuf, unless it starts like JSON.
 * @throws OtlpError if it is neither
 */
export function readExport(body: Buffer, contentType: string): Export {
  const isJson = contentType === 'application/json' || (contentType === '' && body[0] === 0x7b);
  if (!isJson) return readOtlpProtobuf(body);
  return readOtlpJson(parseEnvelope(body.toString('utf8')));
}

/**
 * `JSON.parse` instead of `parseJson`: envelopes are full of nanoseconds as text, which would all take the slow path that
 * keeps digits. Depth is bounded where values are read, and JSON inside them goes through `parseJson`.
 */
export function parseEnvelope(text: string): unknown {
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    throw new OtlpError(`the body is not JSON: ${(error as Error).message.slice(0, 200)}`, { cause: error });
  }
}
