export type {
  AcceptableChange,
  Acceptables,
  LiveReplay,
  MarkedText,
  Overview,
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
