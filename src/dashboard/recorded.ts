import { type Item, requestMessages } from '../chat/index.ts';
import { type CompareRules, compareRules, startTurnComparison } from '../compare/index.ts';
import type { Recording, TurnRequest } from '../contract/index.ts';
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

/** A message that nobody understands is shown as JSON. */
function messagesOf(request: TurnRequest | undefined): RecordedTurn['messages'] {
  if (request?.messages === undefined) {
    return request?.input === undefined ? [] : [{ role: 'user', text: shownText(request.input) }];
  }
  return requestMessages(request.messages).map(({ role, raw, items }) => ({
    role: shownText(String(raw.role ?? role)),
    text: shownText(items.map(shown).join('\n')),
  }));
}

function shown(item: Item): string {
  switch (item.kind) {
    case 'text':
    case 'reasoning':
      return item.text;
    case 'value':
    case 'unknown':
      return JSON.stringify(item.value);
    case 'media':
      return JSON.stringify(item.part);
    case 'call':
      return `${item.call.name}(${JSON.stringify(item.call.args ?? {})})`;
    case 'result':
      return typeof item.result.value === 'string' ? item.result.value : JSON.stringify(item.result.value);
  }
}
