/** Writes the rules of `agent-replay doctor` into its documentation: `npm run generate:doctor`. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AGENT_RULES, ENVIRONMENT_RULES } from '../src/doctor/rules/all.ts';

const PAGE = path.join(import.meta.dirname, '..', 'docs', 'doctor.md');
const [BEGIN, END] = ['<!-- rules: written by scripts/doctor.ts -->\n', '\n<!-- end of rules -->'];

/** docs/doctor.md with a line for each rule. Its fix is printed by the command, where the rule fails. */
export async function doctorPage(): Promise<string> {
  const text = await readFile(PAGE, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error('docs/doctor.md has no place for the rules');
  const lines = [...ENVIRONMENT_RULES, ...AGENT_RULES].map(({ id, demand }) => `- \`${id}\`: ${demand}`);
  return text.slice(0, from + BEGIN.length) + lines.join('\n') + text.slice(to);
}

if (import.meta.main) await writeFile(PAGE, await doctorPage());
