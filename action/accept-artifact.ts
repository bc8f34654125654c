import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { z } from 'zod';
import { openAcceptance, parseReport, type Report } from '../src/rims.ts';
import type { GitHub } from './github.ts';
import { isFileOfRun, type RunFiles, unsealed } from './origin.ts';
import { Refusal } from './refusal.ts';

type AcceptHow = Parameters<typeof openAcceptance>[2];

/** A finished run, with the sessions in it that can be accepted. */
export type FinishedRun = Awaited<ReturnType<typeof openAcceptance>> & { readonly report: Report };

/** The report and traces of a thousand sessions take a few megabytes. */
const MAX_ZIP_BYTES = 64 * 1024 ** 2;
/** An archive that unpacks to more is not a report. */
const MAX_BYTES = 256 * 1024 ** 2;
/** The most artifacts to look through in one run. Each one costs a download. */
const MAX_ARTIFACTS = 20;

const listed = z.object({
  artifacts: z.array(z.object({ id: z.int(), name: z.string(), size_in_bytes: z.int(), expired: z.boolean() })),
});

/**
 * Finds the artifact that holds the run of a seal, and returns that run. Checks each file against the seal before it
 * reads any.
 * @throws Refusal when no artifact holds the run, or when a file of it is not the one that was sealed
 */
export async function fetchRun(
  github: GitHub,
  { runId, seal, how }: { runId: number; seal: string; how: AcceptHow },
): Promise<FinishedRun> {
  for (const id of await artifactsOf(github, runId)) {
    const files = await downloaded(github, id);
    const own = files && unsealed(files, seal);
    if (own !== undefined) return await finishedRun(own, how);
  }
  throw new Refusal(
    'no artifact of that run holds its report. The workflow must upload the whole output folder, as in the examples; GitHub deletes artifacts after some time.',
  );
}

/** Those whose names look like ours first, and among equal ones the newest first. */
async function artifactsOf(github: GitHub, runId: number): Promise<number[]> {
  const route = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts';
  const { artifacts } = listed.parse(await github.request(route, { run_id: runId, per_page: 100 }));
  const rank = ({ name }: { name: string }) => (name.includes('agent-replay') ? 0 : 1);
  return artifacts
    .filter(({ expired, size_in_bytes: size }) => !expired && size <= MAX_ZIP_BYTES)
    .sort((a, b) => rank(a) - rank(b) || b.id - a.id)
    .slice(0, MAX_ARTIFACTS)
    .map(({ id }) => id);
}

/** @returns undefined if the download is not an archive */
async function downloaded(github: GitHub, id: number): Promise<RunFiles | undefined> {
  const route = 'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}';
  const zip = await github.download(route, { artifact_id: id, archive_format: 'zip' });
  let bytes = 0;
  const filter = ({ name, originalSize }: { name: string; originalSize: number }) => {
    if (!isFileOfRun(name)) return false;
    bytes += originalSize;
    return bytes <= MAX_BYTES;
  };
  try {
    return new Map(Object.entries(unzipSync(zip, { filter })));
  } catch {
    return undefined;
  }
}

/** Writes the files to a folder, under names that cannot lead out of it, and reads that folder like any run. */
async function finishedRun(files: RunFiles, how: AcceptHow): Promise<FinishedRun> {
  const folder = await mkdtemp(path.join(process.env.RUNNER_TEMP ?? tmpdir(), 'agent-replay-'));
  try {
    await mkdir(path.join(folder, 'traces'));
    for (const [name, bytes] of files) await writeFile(path.join(folder, name), bytes);
    const report = parseReport(await readFile(path.join(folder, 'report.json'), 'utf8'), 'report.json');
    return { report, ...(await openAcceptance(folder, report, how)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
