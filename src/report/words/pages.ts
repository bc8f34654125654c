/** What the pages say, in the words of every other output. Pure: a browser loads it, so nothing here may need Node or a schema. */

export {
  behaviourLabels,
  IN_OTHER_WORDS,
  isAsRecorded,
  isDiverged,
  isDoubt,
  isInOtherWords,
  OTHER_WORDS,
  OUTCOMES,
  wordDiff,
} from '../../compare/index.ts';
export { parseJson, textOrJson } from '../../json/index.ts';
export { textOfP } from '../../shift/index.ts';
export { counted, cut, dollars, duration, forHtmlText, grouped, inBytes, percent } from '../../text/index.ts';
export { choicesFor, isForced, isUnread } from '../choices.ts';
export { withSeen } from '../seen.ts';
export { adviceFor, noEditWords } from './advice.ts';
export { agentLines, NEXT } from './agent-lines.ts';
export { type CauseGroup, type CauseRow, causesOf, isEdit } from './causes.ts';
export { divergenceWords, furtherWords, stepOf, type Told, toldOf, whatOf } from './divergence.ts';
export { noiseLines } from './learned.ts';
export { gateLines } from './shift-words.ts';
export {
  acceptedAfter,
  apartIn,
  brief,
  bySeverity,
  capitalised,
  commandOn,
  decisiveTurn,
  diffLines,
  lesserStory,
  lookOf,
  notesOf,
  placeOf,
  placeOfLine,
  replacedNote,
  rerunCommand,
  runNumbers,
  STATUS_SIGNS,
  separationOf,
  sessionName,
  usageLine,
  verdictWord,
} from './words.ts';
