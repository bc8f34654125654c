// Nothing is published yet, and a name that is not ours could become anybody's: whoever registers it first would run in
// our users' jobs. So both are files of the user's own, until docs/releasing.md has been followed.

/**
 * How workflows name the action: a copy of `action.yml` and `dist/` in the repository itself. Once it is published, its
 * commit stands here, and `npm run generate:action` writes it into every example.
 */
export const ACTION = './.github/actions/agent-replay';

/** What pip, uv and poetry install: the folder `python` of this package, which `init` copies beside the user's own files. */
export const PYTHON_PACKAGE = './agent-replay-python';

/** What a package manager installs: what `npm pack` leaves in a clone, copied beside the user's package.json. */
export const PACKAGE = './agent-replay-0.1.0.tgz';
