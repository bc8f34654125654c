/**
 * Draws the output of the demos as pictures of a terminal for docs/gate.md: `npm run build && node
 * scripts/demo-pictures.ts`. It runs the real command, and draws its report as a terminal shows it. It leaves out how
 * long the run took, so that a picture changes only when the report does.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseReport, renderTerminal } from '../src/report/index.ts';

const ROOT = path.join(import.meta.dirname, '..');
const IMAGES = path.join(ROOT, 'docs', 'images');
/** Each picture, and the configuration of its run. */
export const DEMOS = { 'demo-live': 'live.config.ts', 'demo-shift': 'shift.config.ts' } as const;

const COLUMNS = 100;

/** Runs a demo. @returns its output on a terminal, with colours */
export function demoPrints(config: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-replay-picture-'));
  try {
    const file = path.join('examples', 'support-agent', config);
    const args = ['run', '--quiet', '--config', file, '--output-dir', folder, '--reporter', 'json'];
    spawnSync(process.execPath, ['bin/agent-replay.js', ...args], { cwd: ROOT });
    const report = parseReport(readFileSync(path.join(folder, 'report.json'), 'utf8'));
    return shown(renderTerminal(report, { colour: true, columns: COLUMNS }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As many lines as a reader takes in at one glance. */
const MAX_LINES = 30;

/** The first lines, without ages and seconds, which differ between days and runs. */
function shown(printed: string): string {
  const lines = printed.trimEnd().split('\n');
  const same = lines.map((line) => line.replace(/, made today|, \d+ days? old|, \d+(?:\.\d+)? s(?![a-z])/, ''));
  return same.length <= MAX_LINES ? same.join('\n') : [...same.slice(0, MAX_LINES - 1), '  ⋮'].join('\n');
}

const [LEFT, TOP, WIDE, HIGH] = [16, 40, 8.43, 19] as const;
const BACKGROUND = '#0d1117';
const PLAIN = '#e6edf3';
const COLOURS: Readonly<Record<string, string>> = {
  31: '#ff7b72',
  32: '#56d364',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b949e',
};

/** Draws a terminal with this text, in the colours and weights of its escape sequences. Cuts long lines. */
export function terminalPicture(title: string, printed: string): string {
  const lines = printed.split('\n');
  const [width, height] = [Math.ceil(2 * LEFT + COLUMNS * WIDE), TOP + lines.length * HIGH + 12];
  const drawn = lines.map((line, index) => {
    return `<text x="${LEFT}" y="${TOP + index * HIGH + 14}" xml:space="preserve">${spansOf(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, at) => `<circle cx="${20 + at * 18}" cy="18" r="5.5" fill="${fill}"/>`,
    ),
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${PLAIN}">`,
    ...drawn,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

const SEQUENCE = /\u001B\[([\d;]*)m/g;

/** Makes a span of each stretch of text with one style, at its column: so a wider or narrower font moves nothing. */
function spansOf(line: string): string {
  const style = { colour: '', isBold: false, isFaint: false };
  let [column, from] = [0, 0];
  const spans: string[] = [];
  const draw = (text: string) => {
    if (text.trim() !== '') {
      const look = [
        style.colour && ` fill="${style.colour}"`,
        style.isBold && ' font-weight="700"',
        style.isFaint && ' opacity="0.65"',
      ].filter(Boolean);
      const place = `x="${round(LEFT + column * WIDE)}" textLength="${round(text.length * WIDE)}"`;
      spans.push(`<tspan ${place}${look.join('')}>${escaped(text)}</tspan>`);
    }
    column += text.length;
  };
  for (const match of line.matchAll(SEQUENCE)) {
    draw(line.slice(from, match.index));
    from = match.index + match[0].length;
    for (const code of (match[1] ?? '').split(';')) apply(style, code);
  }
  draw(line.slice(from));
  return spans.join('');
}

function apply(style: { colour: string; isBold: boolean; isFaint: boolean }, code: string): void {
  if (code === '' || code === '0') Object.assign(style, { colour: '', isBold: false, isFaint: false });
  else if (code === '1') style.isBold = true;
  else if (code === '2') style.isFaint = true;
  else if (code === '22') Object.assign(style, { isBold: false, isFaint: false });
  else if (code === '39') style.colour = '';
  else style.colour = COLOURS[code] ?? style.colour;
}

function round(value: number): string {
  return value.toFixed(1);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

if (import.meta.main) {
  for (const [name, config] of Object.entries(DEMOS)) {
    writeFileSync(
      path.join(IMAGES, `${name}.svg`),
      terminalPicture(`npm run ${name.replace('-', ':')}`, demoPrints(config)),
    );
  }
}
