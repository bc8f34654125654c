export { commandToAdd, lackingFor } from './declared.ts';
export { remainingSteps } from './endpoint-file.ts';
export { exportsOf } from './exports.ts';
export { type Answers, plannedFiles, vitestConfigOf } from './files.ts';
export type { PlannedFile } from './planned-file.ts';
export {
  filesIn,
  inspectProject,
  LOCAL_FILES,
  type Project,
  repositoryOf,
} from './project.ts';
export { PACKAGE } from './published.ts';
export { pythonInstall } from './python-files.ts';
export { lackingInProduction, repairsOf, routeByHand } from './repairs.ts';
export { turnSpanOf } from './turn-span.ts';
