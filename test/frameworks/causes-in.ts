import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseReport } from '../../src/report/index.ts';
import type { Finished } from '../cli/command.ts';

/** Kinds of causes of all first divergences, in the report of a run. */
export function causesIn(
  { code, stdout }: Finished,
  folder: string,
): { code: number | null; causes: string[]; stdout: string } {
  const report = parseReport(readFileSync(path.join(folder, '.agent-replay', 'report.json'), 'utf8'));
  const causes = JSON.stringify(report.results).matchAll(/"cause":\{"kind":"(\w+)"/g);
  return { code, stdout, causes: [...new Set([...causes].map(([, kind = '']) => kind))] };
}
