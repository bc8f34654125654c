export { type DoctorEvent, diagnose } from './diagnose.ts';
export { exitCodeOf, renderDiagnosis } from './terminal.ts';
