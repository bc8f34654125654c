import { isJsonObject, type Json, type JsonObject, own, present } from '../json/index.ts';
import type { Part } from './message.ts';
import { objectAt, textAt } from './names.ts';

/** Pictures, sound and files of a message, in providers' shapes. Undefined for anything else. */
export function mediaPart(part: JsonObject): Part | undefined {
  const type = textAt(part, ['type', 'part_kind']) ?? '';
  if (isChatMedia(type)) {
    if (isJsonObject(own(part, type))) return { type, [type]: own(part, type) } as unknown as Part;
    // LangChain and OpenInference have the address where OpenAI has an object.
    const url = textAt(part, ['image_url']);
    return url === undefined ? undefined : image(url);
  }
  const typed = TYPED.has(type) ? fromSource(part, type) : undefined;
  return typed ?? (own(part, 'type') === undefined ? wrapped(part) : undefined);
}

/** In OpenAI's chat form; the type is the key of the content, too. */
function isChatMedia(type: Json | undefined): type is 'image_url' | 'input_audio' {
  return type === 'image_url' || type === 'input_audio';
}

const TYPED = new Set([
  'image',
  'input_image',
  'audio',
  'video',
  'media',
  'document',
  'file',
  'input_file',
  'blob',
  'uri',
  'image-url',
  'document-url',
  'binary',
  'image-data',
  'file-data',
  'file-url',
]);

const ADDRESSES = ['url', 'uri', 'image_url', 'file_url', 'fileUri', 'file_uri', 'image'];
const DATA = ['data', 'file_data', 'bytes', 'base64', 'content', 'image'];
const MEDIA_TYPES = ['mediaType', 'media_type', 'mimeType', 'mime_type', 'contentType'];
const FILE_NAMES = ['filename', 'file_name', 'fileName', 'name'];

function fromSource(part: JsonObject, type: string): Part | undefined {
  const source = objectAt(part, ['source', 'file', 'image', 'image_url']) ?? part;
  const modality = textAt(part, ['modality']) ?? '';
  const mediaType = textAt(source, MEDIA_TYPES) ?? textAt(part, MEDIA_TYPES) ?? defaultType(`${type} ${modality}`);
  const id = textAt(source, ['file_id', 'fileId']);
  const filename = textAt(part, FILE_NAMES) ?? textAt(source, FILE_NAMES);
  const address = textAt(source, ADDRESSES);
  const data = textAt(source, DATA);
  if (address !== undefined && isAddress(address)) return media(address, mediaType, filename);
  if (data !== undefined) return media(isAddress(data) ? data : dataUrl(mediaType, data), mediaType, filename);
  if (id !== undefined) return { type: 'file', file: present({ file_id: id, filename }) };
  return undefined;
}

/** Gemini, Bedrock and Genkit name the kind by the key. */
function wrapped(part: JsonObject): Part | undefined {
  const inline = objectAt(part, ['inlineData', 'inline_data', 'fileData', 'file_data', 'media']);
  if (inline !== undefined) return fromSource(inline, '');
  for (const key of ['image', 'document', 'video', 'audio']) {
    const inner = objectAt(part, [key]);
    const format = inner && textAt(inner, ['format']);
    const source = inner && objectAt(inner, ['source']);
    if (source === undefined) continue;
    const kind = key === 'document' ? 'application' : key;
    const mediaType = format === undefined ? defaultType(key) : `${kind}/${format}`;
    return fromSource({ ...source, mediaType, ...present({ filename: textAt(inner as JsonObject, FILE_NAMES) }) }, key);
  }
  return undefined;
}

function defaultType(kind: string): string {
  if (kind.includes('image')) return 'image/*';
  if (kind.includes('audio')) return 'audio/*';
  return 'application/octet-stream';
}

function media(address: string, mediaType: string, filename: string | undefined): Part {
  if (mediaType.startsWith('image')) return image(address);
  const [, format, data] = /^data:audio\/([\w.+-]+);base64,(.*)$/s.exec(address) ?? [];
  if (format !== undefined && data !== undefined) return { type: 'input_audio', input_audio: { data, format } };
  return { type: 'file', file: present({ file_data: address, filename }) };
}

function image(url: string): Part {
  return { type: 'image_url', image_url: { url } };
}

function isAddress(text: string): boolean {
  return /^(data|https?|gs|s3|file):/i.test(text) || text.startsWith('@@@');
}

function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

/** Whether a part already has our one shape. */
export function isChatPart(part: Json): part is JsonObject {
  if (!isJsonObject(part) || Object.keys(part).length !== 2) return false;
  const { type } = part;
  if (type === 'text') return typeof part.text === 'string';
  if (isChatMedia(type)) return isJsonObject(own(part, type));
  return type === 'file' && isJsonObject(part.file);
}
