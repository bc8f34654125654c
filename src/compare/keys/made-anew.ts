import { isJsonObject, type Json } from '../../json/index.ts';
import type { Step } from '../shapes/step.ts';
import { isGenerated } from '../values/volatile.ts';
import { creates } from './writing.ts';

/** Fields of a tool's answer whose values are made anew each time; of the second kind, if they look so. */
const TAG = /^e-?tag$/i;
const OF_REQUEST = /^(?:x[-_])?(?:request|trace|span|correlation)[-_]?id$/i;
/** Fields with a key that an agent makes for each request, so that it takes effect once. */
const KEY_OF_CALL = /^(?:idempotency[-_]?key|client[-_]?(?:request[-_]?)?token)$/i;
/** Fields with the number of what a tool has made: an id, and other names of one that holds letters. */
const ID = /(?:^|[_-]|(?<=[a-z])(?=[A-Z]))id$/i;
const NUMBERED = /(?:^|[_-]|(?<=[a-z])(?=[A-Z]))(?:id|no|nr|number|ref|reference)$/i;
/** `Q-10412` */
const SERIAL = /^[A-Z]{1,6}[-_/#]?\d{3,12}$/;
const NUMBER = /^(?=.*\d)[\w-]{4,}$/;
/** A smaller one could stand in a text for anything. */
const MIN_NUMBER = 1_000;
const MAX_CHARS = 64;
const MAX_DEPTH = 3;

/**
 * Values of a step that a program makes anew in every run, although nothing in their shape says so: the tag of a version,
 * the number of what a tool has just made, the key of a request.
 */
export function madeAnewIn({ kind, name = '', value, byModel }: Step): (string | number)[] {
  if (kind === 'call')
    return fieldsIn(
      value,
      (field, each) => typeof each === 'string' && (KEY_OF_CALL.test(field) || isOfRequest(field, each)),
    );
  if (kind !== 'result' || byModel === true) return [];
  return fieldsIn(value, (field, each) => {
    if (typeof each === 'number')
      return ID.test(field) && Number.isInteger(each) && each >= MIN_NUMBER && creates(name);
    if (TAG.test(field) || isOfRequest(field, each)) return true;
    return (SERIAL.test(each) || (NUMBERED.test(field) && NUMBER.test(each))) && creates(name);
  });
}

function isOfRequest(field: string, value: string): boolean {
  return OF_REQUEST.test(field) && isGenerated(value);
}

function fieldsIn(
  value: Json | undefined,
  isAnew: (field: string, value: string | number) => boolean,
  depth = 0,
): (string | number)[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((each) => fieldsIn(each, isAnew, depth + 1));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([field, each]) => {
    if (typeof each !== 'string' && typeof each !== 'number') return fieldsIn(each, isAnew, depth + 1);
    return each !== '' && String(each).length <= MAX_CHARS && isAnew(field, each) ? [each] : [];
  });
}
