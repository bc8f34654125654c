import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/json/index.ts';
import type { Observation, Recording } from '../../../src/trace/index.ts';
import { observationsOf, outputOf, requestOf } from '../../tau/conversation.ts';
import { type ChatMessage, type ChatToolCall, readTrials, type Trial } from '../../tau/trials.ts';
import { rules } from '../agents.ts';
import { compareTurn } from '../compare-turn.ts';

/** Every trial is laid beside the first one of its task, as if all had been asked the same. */
const tasks = [...Map.groupBy(readTrials(), ({ task }) => task).values()];

type Render = (trial: Trial, request: readonly JsonObject[]) => Recording;

/** Chat messages, a span for each call. */
const inMessages: Render = (trial, request) => ({
  observations: observationsOf(trial, { request }),
  output: outputOf(trial),
});

/** The same agent driven by text: one prompt that grows, calls as actions, results as observations, no spans. */
const inText: Render = (trial, request) => {
  const observations: Observation[] = [];
  const prompt = [...request, ...trial.messages.slice(requestOf(trial).length)] as unknown as ChatMessage[];
  let text = '';
  for (const [index, message] of prompt.entries()) {
    if (message.role !== 'assistant') {
      text += `${message.role === 'user' ? 'User: ' : message.role === 'tool' ? 'Observation: ' : ''}${message.content ?? ''}\n`;
      continue;
    }
    const said = spoken(message);
    const at = new Date(Date.UTC(2024, 4, 15, 20) + 2 * index).toISOString();
    const span = { id: `g${index}`, parentId: null, name: 'answer', startTime: at, endTime: at, model: 'gpt-4o' };
    observations.push({ ...span, type: 'generation', input: text, output: said });
    text += `${said}\n`;
  }
  return { observations, output: outputOf(trial) };
};

function spoken({ content, tool_calls: calls = [] }: ChatMessage): string {
  const acts = (calls as unknown as ChatToolCall[]).map((call) => {
    return `Action: ${call.function.name}\nAction Input: ${call.function.arguments}`;
  });
  return [...(content === null ? [] : [`Thought: ${content}`]), ...acts].join('\n');
}

/** How many of the diverging pairs have which cause, by what is said of it. */
function causesOf(render: Render, given: Parameters<typeof rules>[0] = {}): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [first, ...others] of tasks as [Trial, ...Trial[]][]) {
    const request = { messages: [...requestOf(first)] };
    const recording = (trial: Trial) => render(trial, request.messages);
    for (const other of others) {
      const runs = [{ run: 1, recording: recording(other) }];
      const { divergence } = compareTurn([recording(first)], runs, rules(given), { request });
      if (divergence === null) continue;
      const { kind, detail } = divergence.cause;
      const cause = `${kind}: ${detail.replace(/\d+/g, 'N').replace(/:.*/s, '')}`;
      counts.set(cause, (counts.get(cause) ?? 0) + 1);
    }
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

function shareOf(kind: string, causes: ReadonlyMap<string, number>): number {
  const of = (entries: readonly (readonly [string, number])[]) => entries.reduce((sum, [, count]) => sum + count, 0);
  return of([...causes].filter(([cause]) => cause.startsWith(kind))) / of([...causes]);
}

test.each([
  ['chat messages', inMessages, {}],
  ['chat messages, calls alone', inMessages, { strictness: 'exact', include: ['call'], identities: 'literal' }],
  ['text prompts', inText, {}],
] as const)(
  'recorded airline runs in %s: the cause is unknown in less than a fifth, and never the agent',
  (name, render, given) => {
    const causes = causesOf(render, given as Parameters<typeof rules>[0]);
    console.info(
      `${name}:\n${[...causes].map(([cause, count]) => `${String(count).padStart(5)}  ${cause}`).join('\n')}`,
    );
    expect(shareOf('unknown', causes)).toBeLessThan(0.2);
    // Prompt, tools, model and parameters are the same in all trials, and so are the tools and their data.
    expect(shareOf('agent', causes)).toBe(0);
  },
);
