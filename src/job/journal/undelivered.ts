import { AgentReplayError } from '../../errors.ts';
import type { Forwarded } from '../../tracing/index.ts';

/** Beside the output folder: the file contains unmasked traces, and the folder may be published. */
export function undeliveredFile(outputDir: string | undefined): string | undefined {
  return outputDir === undefined ? undefined : `${outputDir}-undelivered.ndjson`;
}

/** `TRACES_NOT_FORWARDED`; undefined if everything was forwarded. */
export function notForwarded({ delivered, undelivered, reasons, file }: Forwarded): AgentReplayError | undefined {
  if (undelivered === 0) return undefined;
  const total = delivered + undelivered;
  const where = file === undefined ? 'they are lost' : `they are kept in ${file}`;
  return new AgentReplayError(
    'TRACES_NOT_FORWARDED',
    `${undelivered} of ${total} exports could not be passed on to the platform; ${where}.`,
    {
      evidence: reasons,
      hint: 'Check host and keys of the platform, then send them with agent-replay forward. The comparison does not depend on them.',
    },
  );
}
