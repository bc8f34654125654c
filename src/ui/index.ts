export type {
  AcceptableChange,
  Acceptables,
  Overview,
  PastResult,
  RecordedTurn,
  RunResult,
  RunSettings,
  RunUnderWay,
  SessionDetail,
  SessionHead,
  SyncState,
  TargetState,
} from './api-shapes.ts';
export { startUi } from './start-ui.ts';
