export { type Identifiers, identifiers, type WireNames, wireNames } from './identifiers.ts';
export { missingMetadata, readTraceMetadata, sessionOf } from './metadata.ts';
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
export { outputOfResponse } from './response.ts';
export { isSameToken, startProof, TRACE_SPANS } from './token.ts';
export { type AskedTool, TOOLS_ENV, type ToolAnswer, type ToolsRequest, toolsRequest } from './tools.ts';
