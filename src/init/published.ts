// Nothing is published yet, and whoever registered a name that is not ours would run in our users' jobs. So both names are
// files of the user's own until RELEASING.md has been followed.

/**
 * How workflows name the action: a copy in the repository itself, which `init` writes. Once it is published, its commit goes
 * here, and `npm run generate:action` writes it into every example.
 */
export const ACTION = './.github/actions/agent-replay';

/** What pip, uv and poetry install: this package's folder `python`, which `init` copies beside the user's files. */
export const PYTHON_PACKAGE = './agent-replay-python';

/** What a package manager installs: the result of `npm pack` in a clone, copied beside the user's package.json. */
export const PACKAGE = './agent-replay-0.1.0.tgz';
