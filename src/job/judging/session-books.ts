import type { Config } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import type { FurtherRuns, ReplayResult } from '../../replay/index.ts';
import { type Report, redactReport } from '../../report/index.ts';
import type { FirstLook } from '../../shift/index.ts';
import type { Ended, RunBooks } from './books.ts';
import { type Finding, Findings, findingOf } from './finding.ts';
import type { Judged, JudgeTexts } from './judge.ts';
import { Ledger, type LedgerPart } from './ledger.ts';
import { type PlannedSession, type RunScope, redactScope } from './run-scope.ts';
import { settingsOf } from './run-settings.ts';
import type { KeptBehaviour } from './session-progress.ts';

interface Options {
  /** As it was read: secrets are taken out of it here. */
  readonly scope: RunScope;
  /** Undefined: none of its turns can be replayed. */
  readonly pin: PlannedSession['pin'] | undefined;
  /** What holds for this session. */
  readonly config: Config;
  readonly part: LedgerPart;
  readonly redact: (text: string) => string;
}

/** Books of one session, at hand: nothing is written to the disk, and what was replayed can be accepted. */
export class SessionBooks implements RunBooks {
  readonly #options: Options;
  readonly #ledger: Ledger;
  readonly #findings = new Findings();
  #judgements: readonly Judged[] = [];
  #ended!: Ended;
  #behaviours: readonly KeptBehaviour[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.#ledger = this.#ledgerFor(options.scope);
  }

  /** The distinct behaviours; all of them once the books are closed. */
  get behaviours(): readonly KeptBehaviour[] {
    return this.#behaviours;
  }

  get isInDoubt(): boolean {
    return this.#ledger.isInDoubt;
  }

  /** See {@link Ledger.secondLooks}. */
  secondLooks(): readonly FurtherRuns[] {
    return this.#ledger.secondLooks(this.#ids());
  }

  /** See {@link Ledger.firstLooks}. */
  firstLooks(): FirstLook[] {
    return this.#ledger.firstLooks();
  }

  async take(result: ReplayResult): Promise<boolean> {
    const behaviours = this.#ledger.take(this.#note(result));
    if (behaviours !== undefined) this.#behaviours = behaviours;
    return behaviours !== undefined;
  }

  async reopen(results: readonly ReplayResult[]): Promise<void> {
    for (const result of results) this.#note(result);
    this.#compareAnew(this.#findings.first, this.#findings.late);
  }

  async close(reason: AgentReplayError | undefined): Promise<void> {
    this.#behaviours = [...this.#behaviours, ...this.#ledger.close(reason)];
  }

  async questions(): Promise<readonly JudgeTexts[]> {
    return this.#ledger.questions();
  }

  async judge(judgements: readonly Judged[]): Promise<void> {
    this.#judgements = judgements;
    this.#ledger.judge(judgements);
    if (judgements.some(({ said }) => said !== 'unsure')) this.#compareAnew(this.#findings.last(), []);
  }

  async report(ended: Ended): Promise<Report> {
    this.#ended = ended;
    return this.#reportOf(this.#ledger);
  }

  /** What the same replays come to beside other recordings; asked after {@link report}. */
  reportAgainst(scope: RunScope): Report {
    const ledger = this.#ledgerFor(scope);
    ledger.judge(this.#judgements);
    for (const finding of this.#findings.last()) ledger.take(finding);
    ledger.close(this.#ended.reason);
    return this.#reportOf(ledger);
  }

  #ledgerFor(scope: RunScope): Ledger {
    const { config, part, redact } = this.#options;
    return new Ledger(settingsOf(config), redactScope(scope, redact), part);
  }

  #note(result: ReplayResult): Finding {
    const { pin, redact, config } = this.#options;
    const finding = findingOf(result, pin as PlannedSession['pin'], redact, config);
    this.#findings.add(finding);
    return finding;
  }

  #compareAnew(before: readonly Finding[], after: readonly Finding[]): void {
    for (const id of this.#ids()) this.#behaviours = this.#ledger.reopen(id, before, after);
  }

  #ids(): string[] {
    return this.#options.pin === undefined ? [] : [this.#options.pin.session.id];
  }

  #reportOf(ledger: Ledger): Report {
    const { reason: _, ...ended } = this.#ended;
    return redactReport(ledger.report(ended), this.#options.redact);
  }
}
