import path from 'node:path';
import { compareRules } from '../compare/index.ts';
import { AgentReplayError } from '../errors.ts';
import { notWritable, readTextFile, replaceFile } from '../files/index.ts';
import { expectOwn } from './trust.ts';

/** Beside the configuration: learned rules, one per line, as under `compare.ignore`. */
const NAME = 'agent-replay.ignore';
const { element: rulePath } = compareRules.shape.ignore.unwrap();

/** The ignore file of a configuration, whether it exists or not. */
export interface IgnoreFile {
  /** Absolute. */
  readonly file: string;
  /** `compare.ignore` already contains them. */
  readonly rules: readonly string[];
}

interface LearnedRule {
  readonly path: string;
  /** One line, safe to show. */
  readonly evidence: string;
}

/** @throws AgentReplayError `CONFIG_NOT_TRUSTED`, `CONFIG_INVALID` with the line of a mistake */
export async function readIgnoreFile(folder: string): Promise<IgnoreFile> {
  const file = path.join(folder, NAME);
  await expectOwn(file);
  const text = await readTextFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new AgentReplayError('CONFIG_INVALID', `${NAME} could not be read (${error.code}).`, { location: { file } });
  });
  const rules = text.split(/\r?\n/).flatMap((line, index) => {
    const rule = line.trim();
    if (rule === '' || rule.startsWith('#')) return [];
    const { error } = rulePath.safeParse(rule);
    if (error === undefined) return [rule];
    throw new AgentReplayError('CONFIG_INVALID', `${NAME} has a line that is not a rule.`, {
      evidence: error.issues.map(({ message }) => message),
      location: { file, line: index + 1 },
      hint: 'Correct the line, or begin it with # to make it a comment.',
    });
  });
  return { file, rules };
}

const HEAD = `# Values that agent-replay does not compare, because they look generated. Written by run --write-ignore.
# One rule per line, as under compare.ignore. Delete a rule to compare its value again.
`;

/**
 * Adds rules that the file lacks. The file is replaced in one step, or stays as it was.
 * @returns the added rules
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`
 */
export async function addToIgnoreFile(
  { file, rules }: IgnoreFile,
  learned: readonly LearnedRule[],
): Promise<LearnedRule[]> {
  const added = learned.filter(({ path: rule }) => !rules.includes(rule));
  if (added.length === 0) return added;
  try {
    const present = await readTextFile(file).catch(() => HEAD);
    const lines = added.map(({ path: rule, evidence }) => `\n# ${evidence}\n${rule}\n`);
    await replaceFile(file, `${present.replace(/(?<!\n)\n*$/, '\n')}${lines.join('')}`);
    return added;
  } catch (cause) {
    throw notWritable(NAME, cause, 'write the rules into compare.ignore');
  }
}
