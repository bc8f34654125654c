import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { progressLine } from '../../src/cli/progress-line.ts';
import { renderAgent, renderMarkdown, renderTerminal } from '../../src/report/index.ts';
import {
  forMarkdownBlock,
  forMarkdownCell,
  forMarkdownProse,
  forTerminal,
  forXml,
  linesForTerminal,
} from '../../src/text/index.ts';
import fc from '../fast-check.ts';
import { growth, LINEAR } from '../growth.ts';
import { hostileReport, hostileText, PAYLOADS } from './fixtures/hostile.ts';
import { renderJunit } from './rendered.ts';

/** What makes a line of a CI log a command: see the runner's two forms. */
const WORKFLOW_COMMAND = /^\s*::|##\[/;
/** What a line reader takes for an end of line. */
const ANY_LINE_END = /\r\n|\r|\n/;
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const ANSI_COLOUR = /\u001b\[\d+m/g;

/** As GitHub renders it, with HTML let through: what would be markup is seen as markup. */
function html(markdown: string): string {
  return micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
}

/** The page without code, where mentions, references and emoji do nothing. */
function outsideCode(page: string): string {
  return page.replace(/<pre>[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, '');
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

test('fault 64: no line of the terminal output is a workflow command, whatever the agent says', () => {
  fc.assert(
    fc.property(hostileText, fc.integer({ min: 40, max: 120 }), fc.boolean(), (text, columns, colour) => {
      const output = renderTerminal(hostileReport(text), { columns, colour }).replace(ANSI_COLOUR, '');
      for (const line of output.split(ANY_LINE_END)) expect(line).not.toMatch(WORKFLOW_COMMAND);
      expect(output).not.toMatch(INVISIBLE);
      expect(output.isWellFormed()).toBe(true);
    }),
  );
});

test('fault 64: a command that a line break of ours would bring to the start of a line is broken too', () => {
  for (let blanks = 0; blanks < 60; blanks++) {
    const output = renderTerminal(hostileReport(`${'a '.repeat(blanks)}::error::boom`), { columns: 60 });
    for (const line of output.split('\n')) expect(line).not.toMatch(WORKFLOW_COMMAND);
  }
});

test('fault 64: text for a terminal is one line, without ANSI sequences, with what is invisible written out', () => {
  expect(forTerminal('\u001b[31mred\u001b[0m a\rb\r\nc \u202egnp\u200b\u0000\ud800')).toBe(
    'red a⏎b⏎c \\u202egnp\\u200b\\u0000\ufffd',
  );
  expect(forTerminal('::error::x ##[add-mask]a')).toBe(':\\:error::x ##\\[add-mask]a');
  expect(linesForTerminal('a\r::error::x\nb')).toEqual(['a', ':\\:error::x', 'b']);
});

test('fault 64: the live line is one line whatever its note says', () => {
  const line = progressLine({
    sessionsDone: 0,
    sessions: 1,
    replaysDone: 0,
    replays: 5,
    waitingForTraces: 0,
    elapsedMs: 0,
    note: '::error::x\n::y',
  });
  expect(line).toBe(':\\:error::x⏎::y, 0/1 sessions, 0/5 replays');
});

test.each([';#', '[1;', ']8;;http://a', '\u009d', '\u001b', 'P', '[1;31m', ']0;title\u0007'])(
  'fault 64: escape sequences are removed in linear time, whole or broken: %j',
  (piece) => {
    const hostile = (size: number) => `\u001b${piece}`.repeat(size / 4) + '\u001b;#;#'.repeat(size / 4);
    expect(growth(2 ** 12, hostile, forTerminal)).toBeLessThan(LINEAR);
    expect(growth(2 ** 12, (size) => `\u001b${piece.repeat(size)}`, forTerminal)).toBeLessThan(LINEAR);
  },
);

test('escape sequences are removed, and what stands in one without an end is shown', () => {
  const link = '\u001b]8;;https://a.example\u001b\\here\u001b]8;;\u0007';
  expect(forTerminal(`\u001b[31mred\u001b[0m ${link} \u009b1mbold \u001b(B. \u001b]0;no end`)).toBe(
    'red here bold . 0;no end',
  );
});

test('a megabyte of runs of backticks is put into a fence', () => {
  expect(forMarkdownBlock('` '.repeat(2 ** 19)).startsWith('```text\n')).toBe(true);
});

test.each([
  ['the table', renderTerminal],
  ['Markdown', renderMarkdown],
  ['JUnit', renderJunit],
] as const)('fault 64: %s is linear in the length of a hostile line', (_, render) => {
  const report = (size: number) => hostileReport('::error:: \u001b[31m'.repeat(size / 15));
  expect(growth(2 ** 12, report, render)).toBeLessThan(LINEAR);
});

test.each(PAYLOADS)('fault 65: %j in a cell of a table is shown and does nothing', (payload) => {
  const page = html(`| a |\n| - |\n| ${forMarkdownCell(`x${payload}y`)} |\n| last |`);
  expect(count(page, /<tr>/g)).toBe(3);
  expect(page.replace(/<\/?(?:table|thead|tbody|tr|th|td|code)>/g, '')).not.toMatch(/[<>]/);
});

test('fault 65: any text in a table leaves its rows, and no mention, link, image or markup outside of code', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const page = html(`| a | b |\n| - | - |\n| ${forMarkdownCell(text)} | 1 |\n| last | 2 |`);
      expect(count(page, /<tr>/g)).toBe(3);
      expect(count(page, /<td>/g)).toBe(4);
      expect(page).not.toMatch(/<(?!\/?(?:table|thead|tbody|tr|th|td|code)>)/);
      expect(outsideCode(page)).not.toMatch(/[@#]/);
    }),
  );
});

test('fault 65: any sentence is one paragraph, with no mention, link or markup outside of code', () => {
  const sentences = fc.oneof(
    hostileText,
    fc.array(fc.constantFrom(...PAYLOADS, '"', ' ', 'word'), { maxLength: 8 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(sentences, (text) => {
      const page = html(`before\n\n${forMarkdownProse(text)}\n\nafter`);
      expect(page).toMatch(/^<p>before<\/p>\n(?:<p>(?:[^<]|<\/?code>)*<\/p>\n)?<p>after<\/p>$/);
      expect(outsideCode(page)).not.toMatch(/[@#]|:\/\/|www\./i);
    }),
  );
  expect(forMarkdownProse('- a @b "c d" e_f 1234567.')).toBe(
    '<code>-</code> a <code>&#64;b</code> <code>"c d"</code> e_f <code>1234567</code>.',
  );
});

test('an object or a list inside of a sentence is one piece of code, whole or cut', () => {
  const said = (text: string) => forMarkdownProse(text).replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
  const values = [
    '{"order_id":"FO-1007","reason":"it } is \\"late\\""}',
    '{"a":{"b":[1,2]},"c":[{}]}',
    '["a b",{"c":1}]',
    '{}',
  ];
  for (const value of values) {
    expect(said(`step 5: extra call of pay with ${value} in 1 of 5 runs.`)).toBe(
      `step 5: extra call of pay with <code>${value}</code> in 1 of 5 runs.`,
    );
    expect(said(`recorded ${value}, replayed ${value}.`)).toBe(
      `recorded <code>${value}</code>, replayed <code>${value}</code>.`,
    );
  }
  expect(said('recorded {"note":"it is late, and so…, replayed "no" in 5')).toBe(
    'recorded <code>{"note":"it is late, and so…</code>, replayed <code>"no"</code> in 5',
  );
});

test('fault 65: a sentence is written in linear time, whatever in it begins like an object', () => {
  for (const piece of ['{"', '[[', '{"a":', '{"a":"…x']) {
    expect(growth(2 ** 12, (size) => piece.repeat(size), forMarkdownProse)).toBeLessThan(LINEAR);
  }
});

test('fault 65: any text in a block stays in it', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const page = html(`before\n\n${forMarkdownBlock(text)}\n\nafter`);
      expect(page).toMatch(/^<p>before<\/p>\n<pre><code class="language-text">[^<]*<\/code><\/pre>\n<p>after<\/p>$/);
    }),
  );
});

test('fault 65: a whole Markdown report of such texts has the rows, the folds and the alert that it has without', () => {
  const shape = (markdown: string) => {
    const page = html(markdown);
    return {
      rows: count(page, /<tr>/g),
      folds: count(page, /<details(?: open)?>/g),
      unfolds: count(page, /<\/details>/g),
      alerts: count(page, /<blockquote>\s*<p>\[!/g),
      quotes: count(page, /<blockquote>/g),
      active: count(outsideCode(page), /<(?:a|img|script|h\d|input|!--)|[@#]/g),
    };
  };
  const expected = { rows: 2, folds: 3, unfolds: 3, alerts: 1, quotes: 1, active: 0 };
  expect(shape(renderMarkdown(hostileReport('harmless')))).toEqual(expected);
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(shape(renderMarkdown(hostileReport(text)))).toEqual(expected);
    }),
  );
});

test('fault 65: any text gives valid XML that holds it as text', () => {
  const parser = new XMLParser({ ignoreAttributes: false, trimValues: false, processEntities: false });
  fc.assert(
    fc.property(hostileText, (text) => {
      const xml = renderJunit(hostileReport(text));
      expect(XMLValidator.validate(xml)).toBe(true);
      expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/);
      expect(xml.isWellFormed()).toBe(true);
      expect(Object.keys(parser.parse(xml)).sort()).toEqual(['?xml', 'testsuites']);
      expect(count(xml, /<testcase /g)).toBe(4);
    }),
  );
});

test('fault 65: characters that XML does not allow are written out or replaced', () => {
  expect(forXml('a<b&"\u0000\u001b[1m\ud800\uffff\u202e')).toBe('a&#60;b&#38;&#34;\\u0000\ufffd\ufffd\\u202e');
});

test('joiners inside of words and emoji are shown, as the words would be others without them; elsewhere they are escaped', () => {
  const shown = ['می\u200cخواهم', 'क्\u200dष', '👩\u200d👩\u200d👧', '🏳\ufe0f\u200d🌈', '👩🏽\u200d🚀'];
  for (const text of shown) expect(forTerminal(text)).toBe(text);
  expect(forTerminal('ad\u200cmin a\u200d, می\u200c\u200cخ \u200d👩')).toBe(
    'ad\\u200cmin a\\u200d, می\\u200c\\u200cخ \\u200d👩',
  );
  expect(forTerminal('می\u202eخ\u2066')).toBe('می\\u202eخ\\u2066');
});

test('fault 64: lines for a coding agent are JSON and show what is invisible, in names of arguments, too', () => {
  for (const text of PAYLOADS) {
    const lines = renderAgent(hostileReport(text), () => [])
      .trimEnd()
      .split('\n');
    for (const line of lines) JSON.parse(line);
    expect(lines.join('')).not.toMatch(INVISIBLE);
  }
});
