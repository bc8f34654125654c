import { createRequire } from 'node:module';

/** Version of this package. It refers to itself by name: wherever this file was built to, that is the same place. */
export const VERSION: string = createRequire(import.meta.url)('agent-replay/package.json').version;
