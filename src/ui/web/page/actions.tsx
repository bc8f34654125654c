import { useState } from 'preact/hooks';
import type { RunResult, SessionDetail } from '../../index.ts';
import { Copy } from '../parts/copy.tsx';
import { CopyPrompt } from '../parts/session.tsx';
import { Text } from '../parts/text.tsx';
import { Accept } from './accept.tsx';
import { Download } from './download.tsx';
import { PinButton } from './pin-button.tsx';

/** Actions on a result. */
export function Actions({
  result: { id, session, report, markdown, cancelled },
  detail,
  onChanged,
}: {
  result: RunResult;
  detail: SessionDetail;
  onChanged: () => Promise<void>;
}) {
  const [said, setSaid] = useState('');
  const [told] = report.sessions;
  return (
    <>
      <div class="actions">
        {told !== undefined && cancelled === undefined && <CopyPrompt session={told} />}
        <Copy text={markdown} label="Copy as Markdown" />
        <Download name={`${session}-${id}.json`} result={id} session={session} />
        {detail.source === 'pinned' ? (
          <Accept
            session={session}
            result={id}
            onAccepted={async (done) => {
              setSaid(done);
              await onChanged();
            }}
          />
        ) : (
          <PinButton
            session={session}
            onPinned={async (pin) => {
              setSaid(`Pinned as ${pin}`);
              await onChanged();
            }}
          />
        )}
      </div>
      <p role="status" class="done quiet">
        <Text>{said}</Text>
      </p>
    </>
  );
}
