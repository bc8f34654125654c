/** Why the code of a configuration could not be read, and what to do. */

import path from 'node:path';
import { JsonError } from '../json/index.ts';

/** A syntax error shows its line before its message. For any other error the message is enough. */
export function evidenceOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const shown =
    error instanceof SyntaxError && error.stack !== undefined ? error.stack.split('\n    at ')[0] : undefined;
  return (shown ?? error.message).split('\n').filter((line) => line.trim() !== '');
}

export function hintFor(error: unknown, file: string): string {
  if (error instanceof JsonError) return 'Correct the JSON.';
  if (isModuleInCommonJs(error)) {
    const name = path.basename(file).replace(/\.(?=[jt]s$)/, '.m');
    return `It is an ES module, but the package.json beside it says "type": "commonjs". Rename it to ${name}.`;
  }
  const { code, message = '' } = Object(error) as { code?: string; message?: string };
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("'agent-replay'")) {
    return 'Install the package, or export a plain object.';
  }
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return 'Node strips types only: use no enums or parameter properties.';
  return 'The file must load as it is: run it with node to see the error.';
}

/** Such as a package made by `npm init -y` of npm 11. For a package without a type, Node.js detects modules itself. */
function isModuleInCommonJs(error: unknown): boolean {
  const message = error instanceof SyntaxError ? error.message : '';
  return /^Unexpected token 'export'|^Cannot use import statement outside a module/.test(message);
}
