export { remainingSteps } from './endpoint-file.ts';
export { type Answers, plannedFiles, vitestConfigOf } from './files.ts';
export type { PlannedFile } from './planned-file.ts';
export { type Framework, frameworks, inspectProject, type Project } from './project.ts';
export { ACTION, PACKAGE } from './published.ts';
export { workflowFile } from './workflow-file.ts';
