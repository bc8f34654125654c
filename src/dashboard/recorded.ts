import { type CompareRules, compareRules, startTurnComparison } from '../compare/index.ts';
import { isJsonObject, type Json, type Message, type Recording, type TurnRequest } from '../contract/index.ts';
import { type LaidStep, laidSteps, shownText } from '../report/index.ts';
import type { KnownSession } from './sessions.ts';
import type { RecordedTurn } from './shapes.ts';

/** What was asked and done in each turn. Ids are as they were recorded. */
export function recordedTurns({ file: { session, turns } }: KnownSession): RecordedTurn[] {
  return session.turns.map(({ request, recorded }, index) => {
    const status = turns[index];
    return {
      turn: index + 1,
      reason: status?.ok === false ? status.reason : '',
      messages: messagesOf(request),
      model: shownText(request?.model ?? ''),
      ...stepsOf(recorded),
    };
  });
}

const AS_THEY_ARE: CompareRules = compareRules.parse({ identities: 'literal' });

/** The steps of one run, bounded to be shown. */
export function stepsOf(recording: Recording): { steps: LaidStep[]; more: number } {
  return laidSteps(startTurnComparison([recording], AS_THEY_ARE, { requested: 0 }).behaviour(0)?.steps ?? []);
}

function messagesOf(request: TurnRequest | undefined): RecordedTurn['messages'] {
  if (request?.messages !== undefined) {
    return request.messages.map((message) => ({ role: shownText(String(message.role)), text: textOf(message) }));
  }
  return request?.input === undefined ? [] : [{ role: 'user', text: shownText(request.input) }];
}

/** The text of a message, as the common shapes hold it; whatever else it says as JSON. */
function textOf({ role: _, content, parts, ...rest }: Message): string {
  const said = [content, parts].flat().flatMap((part) => (part === undefined || part === null ? [] : [textIn(part)]));
  return shownText([...said, ...(Object.keys(rest).length === 0 ? [] : [JSON.stringify(rest)])].join('\n'));
}

/** Parts are `{type: 'text', text}`, or `content` as OpenTelemetry has it. */
function textIn(part: Json): string {
  if (typeof part === 'string') return part;
  const { type, text, content } = isJsonObject(part) ? part : {};
  const own = text ?? content;
  return type === 'text' && typeof own === 'string' ? own : JSON.stringify(part);
}
