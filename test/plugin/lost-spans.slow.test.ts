import { expect, test } from 'vitest';
import { vitestProject } from './vitest-project.ts';

const OWN = `
import { session } from 'agent-replay/vitest';
import { expect, test } from 'vitest';
test('own', async () => {
  await expect(session('one')).toReproduce();
});
`;

test('fault 147: once spans were lost, no pinned session and no matcher passes, with the reason', async () => {
  await using project = await vitestProject({
    sessions: { one: 'a', two: 'b' },
    files: { 'own.test.ts': OWN },
    config: { runs: 1 },
    agent: { env: { NAMELESS: 'id' } },
  });
  const { output } = await project.vitest();
  expect(output).toMatch(/Tests +3 failed \(3\)/);
  expect(
    output.match(/^CouldNotTell: could not tell: TRACE_INCOMPLETE .*\n {2}\| lost: spans without ids/gm),
  ).toHaveLength(3);
  const { results } = await project.report();
  expect(results).toMatchObject({ status: 'error', problems: [{ code: 'TRACE_INCOMPLETE' }] });
  expect(results.sessions).toHaveLength(2);
});
