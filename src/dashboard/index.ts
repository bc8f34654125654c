export { type Dashboard, type DashboardOptions, startDashboard } from './dashboard.ts';
export type {
  LiveReplay,
  Overview,
  PastResult,
  PlatformHits,
  RecordedTurn,
  RunEvent,
  RunResult,
  SessionDetail,
  SessionHead,
  SyncEvent,
  TargetState,
} from './shapes.ts';
