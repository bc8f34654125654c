import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** Markdown as GitHub shows it: its own styles, alerts, coloured diffs, and its frame around a comment or a job summary. */

const STYLES = readFileSync(fileURLToPath(import.meta.resolve('github-markdown-css/github-markdown.css')), 'utf8');
const FRAME = `
  :root { color-scheme: light dark; }
  body { margin: 0; padding: 16px; background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #f0f6fc); font: 14px -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
  main { max-width: 900px; margin: 0 auto; border: 1px solid light-dark(#d1d9e0, #3d444d); border-radius: 6px; overflow: hidden; }
  header { padding: 8px 16px; background: light-dark(#f6f8fa, #151b23); border-bottom: 1px solid light-dark(#d1d9e0, #3d444d); }
  .markdown-body { padding: 16px; font-size: 14px; }
  @media (max-width: 600px) { body { padding: 12px; } .markdown-body, header { padding: 12px; } }`;

/** @param header the line above: who commented, or which job the summary is of */
export function asOnGitHub(markdown: string, header: string): string {
  const html = micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  const shown = withLineBreaks(withDiffs(withAlerts(html)));
  return `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${header}</title>
<style>${STYLES}${FRAME}</style>
<main><header>${header}</header><article class="markdown-body">${shown}</article></main>`;
}

function withAlerts(html: string): string {
  return html.replace(/<blockquote>\s*<p>\[!(\w+)\]\n([\s\S]*?)<\/blockquote>/g, (_, kind: string, rest: string) => {
    const name = kind.toLowerCase();
    const title = name.slice(0, 1).toUpperCase() + name.slice(1);
    return `<div class="markdown-alert markdown-alert-${name}"><p class="markdown-alert-title">${title}</p><p>${rest}</div>`;
  });
}

function withDiffs(html: string): string {
  return html.replace(/<pre><code class="language-diff">([\s\S]*?)<\/code><\/pre>/g, (_, lines: string) => {
    const coloured = lines
      .split('\n')
      .map((line) =>
        line.replace(/^([+-]).*$/, (all, sign) => `<span class="${COLOURS[sign as '+' | '-']}">${all}</span>`),
      );
    return `<div class="highlight highlight-source-diff"><pre>${coloured.join('\n')}</pre></div>`;
  });
}

const COLOURS = { '+': 'pl-mi1', '-': 'pl-md' } as const;

/** In a comment, GitHub keeps the line breaks of a paragraph. */
function withLineBreaks(html: string): string {
  return html.replace(/<p>[\s\S]*?<\/p>/g, (paragraph) => paragraph.replaceAll(/(?<!<br \/>)\n(?!<)/g, '<br>\n'));
}
