import { createHash } from 'node:crypto';
import { isJsonObject, type Json, MAX_DEPTH, present } from '../../json/index.ts';
import type { Observation, Recording } from '../../trace/index.ts';

/**
 * The same recording with each image, sound or file named by its content. SDKs replace inline files by a reference with the
 * first characters of their hash, or they do not; that is a setting, not behaviour.
 */
export function withMediaByContent(recording: Recording): Recording {
  const observations = recording.observations.map(ofObservation);
  const output = withMediaNames(recording.output);
  const isSame =
    output === recording.output && observations.every((each, index) => each === recording.observations[index]);
  return isSame ? recording : { ...recording, observations, ...present({ output }) };
}

function ofObservation(observation: Observation): Observation {
  const [input, output] = [withMediaNames(observation.input), withMediaNames(observation.output)];
  const isSame = input === observation.input && output === observation.output;
  return isSame ? observation : { ...observation, input, output };
}

/** A value without media is returned as it is, so that caches by identity still work. */
function withMediaNames(value: Json | undefined): Json | undefined {
  return value !== undefined && holdsMedia(value) ? referenced(value) : value;
}

function holdsMedia(value: Json, depth = 0): boolean {
  // Readers of the value refuse it anyway if necessary.
  if (depth > MAX_DEPTH) return false;
  if (typeof value === 'string') return value.includes(INLINE_MARK) || value.includes(MARK);
  if (typeof value !== 'object' || value === null) return false;
  const members = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => holdsMedia(member, depth + 1));
}

function referenced(value: Json, depth = 0): Json {
  if (typeof value === 'string') return withReferences(value);
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((member) => referenced(member, depth + 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, referenced(member, depth + 1)]));
}

function withReferences(text: string): string {
  return text
    .replace(INLINE, (_, type: string, content: string) => reference(type, hashOf(content)))
    .replace(REFERENCE, (_, type: string, id: string) => reference(type, id));
}

const INLINE_MARK = ';base64,';
const INLINE = /data:([\w.+-]{1,100}\/[\w.+-]{1,100});base64,([A-Za-z0-9+/]+={0,2})/g;
const MARK = '@@@langfuseMedia:';
/** The source says where the SDK found the file: in a data URI, in bytes, in a file. */
const REFERENCE = /@@@langfuseMedia:type=([^|@]*)\|id=([^|@]*)\|source=[^|@]*@@@/g;
/** SDKs, receiver and platform use this many characters of the hash as a name. */
const ID_CHARS = 22;

function hashOf(content: string): string {
  return createHash('sha256').update(Buffer.from(content, 'base64')).digest('base64url').slice(0, ID_CHARS);
}

function reference(type: string, id: string): string {
  return `${MARK}type=${type}|id=${id}|source=base64_data_uri@@@`;
}
