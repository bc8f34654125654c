import { z } from 'zod';
import { author, type GitHub, isBy, statusOf, writtenBody } from './github.ts';

const LABEL = 'agent-replay';

/** The hidden first line of an issue. By this line and by its author we know that the issue is ours. */
export interface Mark {
  readonly fingerprint: string;
  readonly session: string;
  /** ISO 8601. */
  readonly since: string;
  readonly recovered: boolean;
}

const MARK =
  /^<!-- agent-replay fingerprint=([0-9a-f]{16}) session=([0-9a-f]{16}) since=(\d{4}-\d\d-\d\d[\dT:.Z]{0,20}) (failing|recovered) -->/;

export function renderMark({ fingerprint, session, since, recovered }: Mark): string {
  return `<!-- agent-replay fingerprint=${fingerprint} session=${session} since=${since} ${recovered ? 'recovered' : 'failing'} -->`;
}

function parseMark(body: string): Mark | undefined {
  const [, fingerprint, session = '', since = '', state] = MARK.exec(body) ?? [];
  return fingerprint === undefined ? undefined : { fingerprint, session, since, recovered: state === 'recovered' };
}

/** Replaces the mark in the body of an issue. */
export function withMark(body: string, mark: Mark): string {
  return body.replace(MARK, () => renderMark(mark));
}

const issue = z.object({
  number: z.int(),
  state: z.enum(['open', 'closed']),
  body: writtenBody,
  html_url: z.string(),
  user: author,
  /** Present on pull requests, which GitHub lists as issues. */
  pull_request: z.unknown().optional(),
});
export type OwnIssue = z.infer<typeof issue> & { readonly mark: Mark };

/** Our issues in a repository. */
export class Issues {
  readonly #github: GitHub;

  constructor(github: GitHub) {
    this.#github = github;
  }

  /** Lists them, oldest first. Looks only among issues that changed lately, as ours do as long as they matter. */
  async own(): Promise<OwnIssue[]> {
    const login = await this.#github.login();
    const which = { creator: login, state: 'all', sort: 'updated', direction: 'desc' };
    const all = await this.#github.list('GET /repos/{owner}/{repo}/issues', which, issue);
    const own = all.filter(({ user, pull_request }) => pull_request === undefined && isBy(login, user));
    const marked = own.flatMap((each) => {
      const mark = parseMark(each.body);
      return mark === undefined ? [] : [{ ...each, mark }];
    });
    return marked.sort((a, b) => a.number - b.number);
  }

  async create(title: string, body: string): Promise<void> {
    const route = 'POST /repos/{owner}/{repo}/issues';
    await this.#github.request(route, { title, body, labels: [LABEL] }).catch(async (error) => {
      // 422: the label does not exist, and the token may not create it.
      if (statusOf(error) !== 422) throw error;
      await this.#github.request(route, { title, body });
    });
  }

  async edit(number: number, changes: Readonly<Record<string, string | undefined>>): Promise<void> {
    await this.#github.request('PATCH /repos/{owner}/{repo}/issues/{issue_number}', {
      issue_number: number,
      ...changes,
    });
  }

  async comment(number: number, body: string): Promise<void> {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    await this.#github.request(route, { issue_number: number, body });
  }
}
