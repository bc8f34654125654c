export { startDashboard } from './dashboard.ts';
export type {
  AcceptableChange,
  Acceptables,
  GateKind,
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
} from './shapes.ts';
