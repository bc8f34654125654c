/**
 * Draws the output of the demos as pictures of a terminal for docs/gate.md and README.md: `npm run build && node
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
    // The folder is one of this script; a reader's run has none.
    const { outputDir: _, ...evidence } = report.evidence;
    return shown(renderTerminal({ ...report, evidence }, { colour: true, columns: COLUMNS }));
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

/** What README.md shows again and again: a run, an edited number, and the run after it. */
export function loopPicture(): string {
  const [before = [], after = []] = ['system.md', 'system-v2.md'].map((file) =>
    readFileSync(path.join(ROOT, 'examples/support-agent/prompts', file), 'utf8').split('\n'),
  );
  const edited = before.flatMap((line, at) =>
    line === after[at] ? [] : [`\u001B[31m< ${line}\u001B[39m`, `\u001B[32m> ${after[at]}\u001B[39m`],
  );
  const [green = ''] = demoPrints('../../agent-replay.config.ts').split('\n');
  // What is left out are the commands that follow, which the page tells.
  const [red = ''] = demoPrints('changed.config.ts').split('\n\u001B[2mwanted?');
  const typed = (line: string) => `\u001B[36m$\u001B[39m ${line}`;
  const lines: [appearsAt: number, text: string][] = [
    [0.5, typed('npm run demo')],
    [2, `${green}\n`],
    [3.5, typed('diff prompts/system.md prompts/system-v2.md')],
    [4.5, `${edited.join('\n')}\n`],
    [6, typed('npm run demo:changed')],
    [7.5, red],
  ];
  const starts = lines.flatMap(([at, text]) => text.split('\n').map(() => at));
  return terminalPicture(
    'npm run demo, an edited prompt, npm run demo:changed',
    lines.map(([, text]) => text).join('\n'),
    starts,
  );
}

const LOOP_SECONDS = 14;

/** Lets what has the class `tN` appear after N tenths of a second, in a loop; at once for who wants no motion. */
function appearing(starts: readonly number[]): string[] {
  if (starts.length === 0) return [];
  const rules = [...new Set(starts)].map((at) => {
    const [name, share] = [`t${at * 10}`, (100 * at) / LOOP_SECONDS];
    const steps = `0%,${round(share)}%{opacity:0}${round(share + 0.1)}%,100%{opacity:1}`;
    return `.${name}{animation:${name} ${LOOP_SECONDS}s infinite}@keyframes ${name}{${steps}}`;
  });
  return [`<style>@media (prefers-reduced-motion:no-preference){${rules.join('')}}</style>`];
}

/**
 * Draws a terminal with this text, in the colours and weights of its escape sequences. Cuts long lines.
 * @param starts when each line appears, in seconds; without them all are there
 */
export function terminalPicture(title: string, printed: string, starts: readonly number[] = []): string {
  const lines = printed.split('\n');
  const [width, height] = [Math.ceil(2 * LEFT + COLUMNS * WIDE), TOP + lines.length * HIGH + 12];
  const drawn = lines.map((line, index) => {
    const appears = starts[index] === undefined ? '' : ` class="t${starts[index] * 10}"`;
    return `<text${appears} x="${LEFT}" y="${TOP + index * HIGH + 14}" xml:space="preserve">${spansOf(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    ...appearing(starts),
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
  writeFileSync(path.join(IMAGES, 'demo-loop.svg'), loopPicture());
  for (const [name, config] of Object.entries(DEMOS)) {
    writeFileSync(
      path.join(IMAGES, `${name}.svg`),
      terminalPicture(`npm run ${name.replace('-', ':')}`, demoPrints(config)),
    );
  }
}
