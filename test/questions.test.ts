import path from 'node:path';
import MiniSearch from 'minisearch';
import { expect, test } from 'vitest';
import { sitePages } from '../scripts/site/pages.ts';

/** What users ask, in their words, and the pages that answer. */
const QUESTIONS: readonly (readonly [question: string, ...pages: string[]])[] = [
  ['getting started', 'getting-started'],
  ['what must my replay endpoint answer', 'endpoint'],
  ['endpoint in production', 'endpoint', 'python'],
  ['how do I convert messages to the AI SDK', 'endpoint', 'frameworks'],
  ['does it work with LangGraph', 'frameworks', 'python', 'sources'],
  ['does it work with Mastra', 'frameworks', 'tools'],
  ['FastAPI', 'python'],
  ['Flask', 'python'],
  ['tools refund real money in every replay', 'tools'],
  ['TOOL_NOT_WRAPPED', 'tools'],
  ['MCP server recorded results', 'tools'],
  ['sandbox for tools', 'endpoint'],
  ['agent that answers differently each time', 'gate', 'index'],
  ['exit code 2 could not tell', 'report', 'reliability', 'gate'],
  ['what counts as a divergence', 'comparison'],
  ['compare.ignore paths', 'comparison'],
  ['generated ids and timestamps', 'comparison'],
  ['cause of a divergence', 'comparison', 'fork', 'report'],
  ['is the model the cause', 'fork'],
  ['accept new behaviour as the original', 'commands', 'action', 'report', 'vitest'],
  ['comment on the pull request', 'action'],
  ['pull requests from forks', 'action'],
  ['permissions of the workflow', 'action'],
  ['nightly runs and issue', 'action'],
  ['matrix one comment group', 'action'],
  ['badge history', 'report', 'action'],
  ['vitest plugin options', 'vitest'],
  ['matchers toHaveCalledTool', 'vitest'],
  ['vitest sharding merge reports', 'vitest', 'sharding'],
  ['split a run over several jobs', 'sharding'],
  ['killed run lost report', 'sharding', 'reliability'],
  ['pin sessions from Langfuse', 'platform'],
  ['rate limit of the platform', 'platform'],
  ['when is a trace complete', 'platform', 'endpoint'],
  ['LangSmith', 'sources'],
  ['own tracing backend command', 'sources'],
  ['redact secrets in pins', 'platform', 'report', 'reliability'],
  ['rules of doctor', 'doctor'],
  ['Reproducibility page target URL', 'reproducibility'],
  ['alternatives promptfoo', 'alternatives'],
];

/** The search of the site, which VitePress makes of MiniSearch: a document for each heading, with these weights. */
function searchOf(pages: ReturnType<typeof sitePages>): (question: string) => string[] {
  const search = new MiniSearch({
    fields: ['title', 'titles', 'text'],
    storeFields: ['page'],
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
  });
  for (const { path: file, title, text } of pages) {
    const sections = text.split(/^#{1,6} /m).slice(1);
    for (const [at, section] of sections.entries()) {
      const [heading = '', ...lines] = section.split('\n');
      const page = file.replace(/^docs\/|\.md$/g, '');
      search.add({ id: `${file}#${at}`, page, title: heading, titles: at === 0 ? '' : title, text: lines.join('\n') });
    }
  }
  return (question) => search.search(question).map(({ page }) => page as string);
}

const ask = searchOf(sitePages(path.join(import.meta.dirname, '..')));

test.each(QUESTIONS)('"%s" is answered by one of the first three hits of the search', (question, ...pages) => {
  const hits = ask(question).slice(0, 3);
  expect(
    hits.some((page) => pages.includes(page)),
    `found ${hits.join(', ')}`,
  ).toBe(true);
});
