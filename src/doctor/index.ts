export { type DoctorEvent, diagnose } from './diagnose.ts';
export { walkedWorkflows } from './evidence/surroundings.ts';
export { exitCodeOf, renderDiagnosis } from './terminal.ts';
