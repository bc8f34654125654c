export { echoesIn } from './echoes.ts';
export { endedInError } from './ended-in-error.ts';
export { type Identifiers, identifiers, type WireNames, wireNames } from './identifiers.ts';
export { missingMetadata, readTraceMetadata, sessionOf } from './metadata.ts';
export { inCausalOrder, isKnownBefore } from './order.ts';
export {
  type Carrier,
  carrier,
  MAX_RUNS,
  parseReplayRequest,
  type ReplayRequest,
  renderReplayRequest,
  type SentMessage,
  type TurnRequest,
  turnRequest,
} from './request.ts';
export { atPointer, parseReplayResponse, pointerPart } from './response.ts';
export { isSameToken, startProof } from './token.ts';
export { type AskedTool, TOOLS_ENV, type ToolAnswer, type ToolsRequest, toolsRequest } from './tools.ts';
export {
  calledTools,
  isTool,
  type MissedCall,
  type ModelUsage,
  type Observation,
  type ObservationType,
  observationType,
  type Recording,
  recording,
  replayedRecording,
  type Trace,
  trace,
  type Unread,
} from './trace.ts';
