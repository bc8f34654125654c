import type { SessionDetail } from '../../index.ts';
import { Text } from '../parts/text.tsx';
import { Past } from './past.tsx';
import { Target } from './target.tsx';
import type { EditedTarget } from './use-target.ts';

/** Where a session is replayed, and its earlier results. */
export function About({
  detail,
  agents,
  named,
  target,
  shown,
  onShow,
}: {
  detail: SessionDetail;
  /** All known ones. */
  agents: readonly string[];
  /** The agent in the address; empty without one. */
  named: string;
  target: EditedTarget;
  /** Id of the shown result. */
  shown: string | undefined;
  onShow: (result: string) => void;
}) {
  return (
    <section class="about-session" aria-labelledby="replay">
      <h3 id="replay">Replay it</h3>
      {detail.target.agentId === '' && agents.length > 1 && (
        <p class="problem">
          <strong>Which agent?</strong> The session does not say it: enter the agent id, one of {agents.join(', ')}.
        </p>
      )}
      {named !== '' && detail.agentId !== '' && named !== detail.agentId && (
        <p class="problem">
          <strong>Another agent:</strong> the session was recorded of <Text>{detail.agentId}</Text>, the address names{' '}
          <Text>{named}</Text>. It is replayed against <Text>{detail.agentId}</Text>.
        </p>
      )}
      <Target target={detail.target} {...target} onEdit={target.edit} onSave={target.save} />
      <Past detail={detail} shown={shown} onShow={onShow} />
    </section>
  );
}
