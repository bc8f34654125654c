export { remainingSteps } from './endpoint-file.ts';
export { type Answers, plannedFiles, vitestConfigOf } from './files.ts';
export type { PlannedFile } from './planned-file.ts';
export { type Framework, frameworks, inspectProject, type Project } from './project.ts';
export { PACKAGE } from './published.ts';
export { pythonInstall } from './python-files.ts';
