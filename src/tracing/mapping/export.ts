import { withoutHugeTextsIn } from '../../trace/index.ts';
import { type Export, OtlpError, readOtlpJson } from './otlp.ts';
import { fromProtobuf, type Message, TRACES } from './protobuf.ts';

/** @throws OtlpError if it is not an OTLP export of spans */
export function readExport(body: Buffer, contentType: string): Export {
  return readOtlpJson(envelopeIn(body, contentType, TRACES));
}

/** A body whose content type is not JSON is protobuf; one without a type is JSON if it starts like it. */
export function envelopeIn(body: Buffer, contentType: string, message: Message): unknown {
  const isJson = contentType === 'application/json' || (contentType === '' && body[0] === 0x7b);
  return isJson ? parseEnvelope(withoutHugeTextsIn(body).toString('utf8')) : fromProtobuf(message, body);
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
