export { announce, ask, type Recordings, recordingsIn, ToolNotReplayed, tell } from './ask.ts';
