import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import { renderMarkdown, renderTerminal } from '../../src/report/index.ts';
import { adviceFor, noiseLines } from '../../src/report/words/pages.ts';
import type { Recording } from '../../src/trace/index.ts';
import { rules } from '../compare/agents.ts';
import { compareTurn } from '../compare/compare-turn.ts';
import { report, session } from './fixtures/reports.ts';
import { renderJunit } from './rendered.ts';

const AT = '2026-01-05T10:00:00.000Z';

function answering(answer: string): Recording {
  return { output: answer, observations: [] };
}

/** A turn with one call, what it came to, and an answer. */
function looking(result: Json): Recording {
  const tool = { id: 't', parentId: null, type: 'tool', name: 'get_weather', startTime: AT, endTime: AT } as const;
  return { output: 'Done.', observations: [{ ...tool, input: {}, output: result }] };
}

function outputs(
  original: Recording,
  replays: readonly Recording[],
  over: Parameters<typeof report>[1] = {},
): string[] {
  const runs = replays.map((recording, index) => ({ run: index + 1, recording }));
  const comparison = compareTurn([original], runs, rules());
  const whole = report([session('my trip', { turns: [{ turn: 1, comparison, failures: [] }] })], over);
  const turn = whole.results.sessions[0]!.turns[0]!;
  const texts = [
    renderTerminal(whole, { columns: 1_000 }),
    renderMarkdown(whole),
    renderJunit(whole),
    [adviceFor(turn, { pin: 'replays/my trip.session.json' }), ...noiseLines(turn)].join('\n'),
  ];
  return texts.map((text) => text.replaceAll('&#39;', "'").replaceAll('\\', ''));
}

const answers = (...totals: number[]) => totals.map((total) => answering(`The total is ${total} EUR.`));

test('where replays do not agree with each other, the next move keeps them, and takes no new call', () => {
  const drawn = [answers(1, 2, 3, 4, 5), answers(80, 2, 3, 4, 5), answers(1, 1, 1, 1, 2)];
  for (const replays of drawn) {
    const [terminal, markdown, junit, notes] = outputs(answering('The total is 80 EUR.'), replays);
    for (const text of [terminal, markdown, junit]) {
      expect(text).toContain('The runs of 1 of 1 session differ from each other.');
      expect(text).toMatch(/(`|<kbd>)npx agent-replay accept (--|- -)as-recordings(`|<\/kbd>), no new call/);
    }
    expect(notes).not.toContain('settle it');
  }
});

test('offline runs follow the recorded paths: that they differ is no news, and no accept is named, which would refuse them', () => {
  const original = answering('The total is 80 EUR.');
  for (const text of outputs(original, answers(80, 2, 3, 4, 5), { evidence: { offline: true } }))
    expect(text).not.toMatch(/differ from each other|agent-replay accept/);
});

test('where every run differs in what a tool answers, the advice is to look at that', () => {
  const replays = [1, 2, 3, 4, 5].map((celsius) => looking({ celsius }));
  for (const text of outputs(looking({ celsius: 20 }), replays)) {
    expect(text).toContain('Every run differs, first in what get_weather answers: more runs would not settle it.');
    expect(text).not.toContain('--runs 10');
  }
});

test('where nothing is open, nothing is advised', () => {
  for (const text of outputs(answering('The total is 80 EUR.'), answers(1, 1, 1, 1, 1))) {
    expect(text).not.toMatch(/settle it/);
  }
});
