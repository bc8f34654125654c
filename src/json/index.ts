export { byCodeUnit, canonical, keysInOrder, plain, tooDeep } from './canonical.ts';
export { distinct } from './distinct.ts';
export {
  asNumber,
  asText,
  isJsonObject,
  isRawNumber,
  type Json,
  JsonError,
  type JsonObject,
  jsonIn,
  MAX_DEPTH,
  parseJson,
  textOrJson,
} from './json.ts';
export { mapTexts } from './map-texts.ts';
export { byName } from './natural.ts';
export { own } from './own.ts';
export { atPointer, pointerPart, pointerParts } from './pointer.ts';
export { type Present, present } from './present.ts';
export { giveBackZod, json, jsonObject } from './schemas.ts';
export { spelledInFence, spelledOut, unquoted } from './spelled.ts';
