import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentReplayError } from '../../errors.ts';
import { readTextFile } from '../../files/index.ts';
import { exportsOf } from '../../init/index.ts';

/** Of an agent that does not start because a file imports what another one does not export: the line, and what is there. */
export async function withExports(problem: AgentReplayError): Promise<AgentReplayError> {
  const { code, message, evidence, location, cause } = problem;
  const printed = evidence.join('\n');
  const [, module = '', name] = /module '(\.[^']+)' does not provide an export named '(\w+)'/.exec(printed) ?? [];
  const [, url = '', line] = /(file:\/\/\/(?:[A-Z]:)?[^\s:]{1,2000}):(\d{1,9})$/m.exec(printed) ?? [];
  if (name === undefined || line === undefined) return problem;
  const text = await readTextFile(fileURLToPath(new URL(module, url))).catch(() => '');
  const there = exportsOf(text).join(', ') || 'nothing by name';
  const hint = `Correct ${path.relative('.', fileURLToPath(url))}, line ${line}: ${module} has no ${name}. It exports ${there}.`;
  return new AgentReplayError(code, message, { evidence, hint, location, cause });
}
