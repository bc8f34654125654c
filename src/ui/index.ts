export type {
  AcceptableChange,
  Acceptables,
  LiveReplay,
  Overview,
  PastResult,
  PlatformHits,
  RecordedTurn,
  RunEvent,
  RunResult,
  RunSettings,
  RunUnderWay,
  SessionDetail,
  SessionHead,
  SyncEvent,
  TargetState,
} from './api-shapes.ts';
export { startUi } from './start-ui.ts';
