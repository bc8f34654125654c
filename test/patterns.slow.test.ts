import { expect, test } from 'vitest';
import { growth, LINEAR } from './growth.ts';
import { ownPatterns, slowestText } from './patterns.ts';

const { patterns, perCall } = await ownPatterns();
const SMALL = 2 ** 8;

test('fault 96: patterns that are put together while texts are read hold nothing of a text but what is escaped', () => {
  expect(patterns.length).toBeGreaterThan(400);
  expect(perCall).toMatchInlineSnapshot(`
    [
      "src/agent/mark.ts new RegExp(\`(?:^|\\0)\${MARK_VARIABLE}=(\\\\d+)\\0\`)",
      "src/compare/keys/names.ts new RegExp(String.raw\`(?<![\\p{L}\\p{N}_\\-])(\${any})(?![\\p{L}\\p{N}_\\-])\`, 'gu')",
      "src/compare/self-test/judge-pairs.ts new RegExp(\`\\\\b(?:\${[...counterparts.keys()].join('|')})\\\\b\`)",
      "src/init/turn-span.ts new RegExp(
        \`^(export )?(async function \${name}(?=[(<])|const \${name}(?=(?:: [^=]{0,300})? = async\\\\b))\`,
        'm',
      )",
      "src/proxy/lines.ts new RegExp(separator, 'g')",
      "src/tracing/mapping/unread.ts new RegExp(\`^(?:\${patterns.join('|')})$\`)",
      "src/tracing/receiver/media.ts new RegExp(\`^/media/\${secret}/[\\\\w-]+$\`)",
    ]
  `);
});

test.for(patterns)('fault 96: $at $pattern takes linear time, whatever the text', ({ pattern }) => {
  const worst = slowestText(pattern);
  if (worst === undefined) return;
  expect(
    growth(SMALL, worst.make, (text) => text.replace(pattern, '')),
    worst.name,
  ).toBeLessThan(LINEAR);
});
