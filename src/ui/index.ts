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
  SyncEvent,
  TargetState,
} from './api-shapes.ts';
export { startUi } from './start-ui.ts';
