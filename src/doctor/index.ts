export {
  type AgentDiagnosis,
  type Diagnosis,
  type DoctorEvent,
  type DoctorOptions,
  diagnose,
} from './diagnose.ts';
export type { Verdict } from './judge.ts';
export { exitCodeOf, renderDiagnosis } from './terminal.ts';
