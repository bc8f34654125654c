/** The agent with a model of its own, so that it needs neither an account nor a network. */
import { startModelServer } from '../model-server/server.ts';

const model = await startModelServer();
process.env.MODEL_BASE_URL ??= model.url;
await import('./server.ts');
