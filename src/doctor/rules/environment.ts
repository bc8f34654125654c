import { counted, duration } from '../../text/index.ts';
import type { Surroundings, WalkedWorkflow } from '../evidence/evidence.ts';
import { because, fail, pass, type Rule, type RuleResult, skip, warn } from '../evidence/rule.ts';
import { isPlatformNeeded } from '../evidence/surroundings.ts';
import type { Workflow } from '../evidence/workflow.ts';

/** Spans that end within this time after their root are usual, and get no line. */
const TOLD_MS = 1_000;

type Trials = NonNullable<Surroundings['gate']>['trials'];

/** Rules that need no agent. */
export const ENVIRONMENT_RULES: readonly Rule<Surroundings>[] = [
  {
    id: 'config',
    demand: 'The configuration is valid, and names an agent.',
    fix: 'Correct the configuration.',
    judge: ({ config, configProblem }) => {
      if (configProblem !== undefined) return because('fail', configProblem);
      return pass(config === undefined ? 'valid' : `valid, with the root ${config.root}`);
    },
  },
  {
    id: 'pins',
    demand: 'Every pin can be read, and each of its turns replayed.',
    fix: 'Correct these pins, or pin them again: `npx agent-replay pin`.',
    needs: ['config'],
    judge: ({ pins: { sessions, turns, unknownTools, endsWithinMs, problems } }) => {
      const none = problems.find(({ code }) => code === 'NO_SESSIONS');
      if (none !== undefined)
        return {
          ...warn(none.message),
          fix: 'Record some: `npx agent-replay record -- COMMAND`, with the id of the conversation as `session.id` on the span of each turn, so that its turns are one session. Or take them from your tracing platform: `npx agent-replay pin`.',
        };
      const problemLines = problems.map(({ message, location }) =>
        [location?.file, message].filter(Boolean).join(': '),
      );
      const isBroken = problems.some(({ code }) => code !== 'PIN_NOT_REPLAYABLE');
      if (problems.length > 0) return isBroken ? fail(...problemLines) : warn(...problemLines);
      const late = `recorded turns go on for up to ${duration(endsWithinMs)} after their root: what comes last is waited for`;
      return pass(
        `${counted(sessions, 'session')}, ${counted(turns, 'turn')}`,
        ...(endsWithinMs < TOLD_MS ? [] : [late]),
        ...unknownTools,
      );
    },
  },
  {
    id: 'self-test',
    demand: 'Changes planted in copies of the pins fail a run or are reported, and harmless ones pass.',
    fix: '`npx agent-replay run --self-test` shows which ones and where. Then correct `compare` or `failOn`.',
    needs: ['config'],
    judge: ({ gate }) => {
      if (gate === undefined || gate.trials.length === 0) return skip('there is no pinned turn to try it on');
      const planted = gate.trials.filter((trial) => !trial.harmless);
      const harmless = gate.trials.filter((trial) => trial.harmless);
      const countOf = (trials: Trials, outcome: Trials[number]['outcome']) =>
        trials.filter((trial) => trial.outcome === outcome).length;
      const seen = [
        `${countOf(planted, 'red')} of ${counted(planted.length, 'change')} that matter would fail a run`,
        `${countOf(planted, 'told')} would be reported and fail none, ${countOf(planted, 'not compared')} are not compared, ${countOf(planted, 'missed')} missed`,
        `${countOf(harmless, 'red')} of ${counted(harmless.length, 'harmless change')} would fail a run`,
      ];
      switch (gate.status) {
        case 'passed':
          return pass(...seen);
        case 'untried':
          return skip('the pins hold nothing that can be changed', ...seen);
        case 'missed':
        case 'blind':
          return fail(...seen);
      }
    },
  },
  {
    id: 'workflow',
    demand:
      'A workflow runs agent-replay, gives no secrets to strangers, has the permissions that it needs, and gets to the first call with what is committed.',
    fix: 'Give the job `contents: read` and `pull-requests: write`, run it on `pull_request`, and name the action by the full SHA of a commit (docs/action.md).',
    judge: ({ workflows }) => {
      if (workflows.length === 0) return skip('no workflow in .github/workflows runs agent-replay');
      const findings = workflows.map(judgeWorkflow);
      return (
        findings.find(({ state }) => state === 'fail') ?? findings.find(({ state }) => state === 'warn') ?? findings[0]!
      );
    },
  },
  {
    id: 'platform',
    demand: 'The tracing platform answers, accepts the keys, and has an API that traces can be read from.',
    fix: 'Check its address and keys (docs/platform.md), and the network.',
    judge: ({ config, platform }) => {
      if (platform === undefined) return skip('none is configured, and none is needed: traces come to the receiver');
      if (!('problem' in platform)) return pass(platform.host, `reads its ${platform.api}`);
      if (config === undefined || !isPlatformNeeded(config)) return because('warn', platform.problem);
      // What does not answer shows nothing of itself.
      return because(platform.problem.code === 'PLATFORM_UNAUTHORIZED' ? 'fail' : 'unknown', platform.problem);
    },
  },
];

/** What replays on these events runs a stranger's code with the repository's secrets. */
const DANGEROUS = ['pull_request_target', 'workflow_run', 'issue_comment'];

function judgeWorkflow({ file, isRead, mistake, events, jobs, walk }: WalkedWorkflow): RuleResult {
  if (!isRead) {
    return {
      ...fail(`${file}: GitHub reads workflows at the root of the repository only`),
      fix: 'Move it to .github/workflows at the root, and name the folder of the agent as its working-directory.',
    };
  }
  if (mistake !== undefined) return fail(`${file}: ${mistake}`);
  const dangerous = jobs.some(({ isReplaying }) => isReplaying)
    ? events.filter((each) => DANGEROUS.includes(each))
    : [];
  if (dangerous.length > 0) {
    return {
      ...fail(`${file}: it runs on ${dangerous.join(', ')}, where a stranger's code gets the secrets`),
      fix: 'Run it on pull_request.',
    };
  }
  if (walk.obstacles.length > 0) {
    return {
      ...fail(...walk.obstacles.map((each) => `${file}: ${each}`)),
      fix: 'Correct the workflow, or commit what it lacks: until then its job cannot start.',
    };
  }
  const ofJobs = jobs.flatMap((job) => remarksOn(job, events).map((remark) => `${file}, job ${job.name}: ${remark}`));
  const remarks = [...ofJobs, ...walk.remarks.map((remark) => `${file}: ${remark}`)];
  const secrets = walk.secrets.length > 0 ? [`set where the repository is hosted: ${walk.secrets.join(', ')}`] : [];
  if (remarks.length === 0) return pass(file, ...secrets);
  const fix = ofJobs.length > 0 ? undefined : 'The job has what is committed, and what its steps are given.';
  return { ...warn(...remarks), fix };
}

function remarksOn({ permissions, action, isSilent }: Workflow['jobs'][number], events: readonly string[]): string[] {
  const remarks: string[] = [];
  const may = (scope: string, wanted: readonly string[]): boolean => {
    if (permissions === undefined || permissions === 'write-all') return true;
    return wanted.includes(permissions === 'read-all' ? 'read' : (permissions[scope] ?? 'none'));
  };
  if (!may('contents', ['read', 'write']))
    remarks.push('without contents: read, a private repository is not checked out');
  if (permissions === undefined) remarks.push("it sets no permissions, so the repository's default applies");
  if (permissions === 'write-all') remarks.push('its token may do everything');
  if (action !== undefined) {
    if (events.includes('pull_request') && !isSilent && !may('pull-requests', ['write'])) {
      remarks.push('without pull-requests: write there is a notice in place of the comment');
    }
    if (!/^\.\/|@[0-9a-f]{40}$/.test(action)) remarks.push(`${action} can change under you`);
  }
  return remarks;
}
