import { readFileSync } from 'node:fs';

/** What scripts/site/build.ts has found out. */
const { outDir, sidebar } = JSON.parse(readFileSync(new URL('site.json', import.meta.url), 'utf8'));

export default {
  title: 'agent-replay',
  description:
    "Replay your agent's recorded sessions in CI, and fail the build when the agent stops behaving the same.",
  outDir,
  lastUpdated: false,
  // The names under which GitHub finds headings: the same links lead to them.
  markdown: {
    // Pages are text: `{{ x }}` in them is none of the generator's, which leaves only blocks of code alone.
    config: ({ renderer, utils }) => {
      const escaped = (text) => utils.escapeHtml(text).replaceAll('{{', '&#123;&#123;');
      renderer.rules.text = (tokens, at) => escaped(tokens[at].content);
      renderer.rules.code_inline = (tokens, at) => `<code>${escaped(tokens[at].content)}</code>`;
    },
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
          .replaceAll(' ', '-'),
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar,
    outline: [2, 3],
    nav: [
      { text: 'Getting started', link: '/docs/getting-started' },
      { text: 'Commands', link: '/docs/commands' },
      { text: 'A report to look at', link: '/example/report.html', target: '_self' },
      { text: 'The page to look at', link: '/example/page.html', target: '_self' },
    ],
  },
};
