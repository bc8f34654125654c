import { type Item, requestMessages } from '../chat/index.ts';
import type { Config } from '../config/index.ts';
import type { TurnRequest } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import { laidSteps } from '../report/index.ts';
import type { Pin } from '../session/index.ts';
import { cut } from '../text/index.ts';
import type { RecordedTurn, RunToRead } from './api-shapes.ts';
import { isPinned } from './sessions.ts';
import { linkTo, placeOnPlatform } from './target.ts';

/** Longest message that is shown; the pin has the whole. An image in it fits. */
const MAX_CHARS = 400_000;

/** What was asked and done in each turn, with ids as recorded. */
export function recordedTurns({ session, turns }: Pick<Pin, 'session' | 'turns'>): RecordedTurn[] {
  return session.turns.map(({ request, recorded }, index) => {
    const status = turns[index];
    return {
      turn: index + 1,
      reason: status?.ok === false ? status.reason : '',
      messages: messagesOf(request),
      model: request?.model ?? '',
      ...laidSteps(recorded),
    };
  });
}

/** Needs no replay. @throws AgentReplayError `INPUT_INVALID` if the turn does not exist */
export function recordedRun(file: Pin, turn: number, config: Config): RunToRead {
  const recording = file.session.turns[turn - 1]?.recorded;
  if (recording === undefined) throw new AgentReplayError('INPUT_INVALID', `The session has no turn ${turn}.`);
  const { traceId = '' } = recording;
  // Synced sessions came from the platform; the origin of a pin is unknown.
  const link = isPinned(file) ? linkTo(config)(traceId) : placeOnPlatform(config, traceId);
  return { recording, link: traceId === '' ? '' : link };
}

/** A message of unknown shape is shown as JSON. */
function messagesOf(request: TurnRequest | undefined): RecordedTurn['messages'] {
  if (request?.messages === undefined) {
    return request?.input === undefined ? [] : [{ role: 'user', text: cut(request.input, MAX_CHARS) }];
  }
  return requestMessages(request.messages).map(({ role, raw, items }) => ({
    role: String(raw.role ?? role),
    text: cut(items.map(itemText).join('\n'), MAX_CHARS),
  }));
}

function itemText(item: Item): string {
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
