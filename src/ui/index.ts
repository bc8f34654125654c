export type {
  AcceptableChange,
  Acceptables,
  Overview,
  PastResult,
  RecordedTurn,
  RunResult,
  RunSettings,
  RunToRead,
  RunUnderWay,
  SessionDetail,
  SessionHead,
  SyncState,
  TargetState,
} from './api-shapes.ts';
export { startUi } from './start-ui.ts';
