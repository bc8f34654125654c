export { type Dashboard, type DashboardOptions, startDashboard } from './dashboard.ts';
export type {
  LiveReplay,
  MarkedText,
  Overview,
  PastResult,
  PlatformHits,
  RecordedTurn,
  RunEvent,
  RunResult,
  RunUnderWay,
  SearchMatch,
  SessionDetail,
  SessionHead,
  Snippet,
  SyncEvent,
  TargetState,
} from './shapes.ts';
