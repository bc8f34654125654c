import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DEMOS, demoPrints, loopPicture, terminalPicture } from '../../scripts/demo-pictures.ts';

const IMAGES = path.join(import.meta.dirname, '../../docs/images');

test.each(Object.entries(DEMOS))('docs/images/%s.svg is what the demo prints', (name, config) => {
  const picture = readFileSync(path.join(IMAGES, `${name}.svg`), 'utf8');
  const title = `npm run ${name.replace('-', ':')}`;
  expect(picture, 'run: node scripts/demo-pictures.ts').toBe(terminalPicture(title, demoPrints(config)));
});

test('docs/images/demo-loop.svg is what its commands print', () => {
  const picture = readFileSync(path.join(IMAGES, 'demo-loop.svg'), 'utf8');
  expect(picture, 'run: node scripts/demo-pictures.ts').toBe(loopPicture());
});

test('what is printed is drawn with its colours, and nothing in it is markup', () => {
  const picture = terminalPicture('a title', 'one \u001b[31m\u001b[1m<red>\u001b[22m\u001b[39m "two" & three\n\nlast');
  expect(picture).toContain('>one </tspan>');
  expect(picture).toContain('fill="#ff7b72" font-weight="700">&#60;red&#62;</tspan>');
  expect(picture).toContain('> &#34;two&#34; &#38; three</tspan>');
  expect(picture).not.toMatch(/<red>|\u001b/);
});
