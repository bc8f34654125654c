import { Save } from '../parts/save.tsx';
import { ask } from './server.ts';

/** Saves the report of a result, as `run` writes it. */
export function Download({ session, result, name }: { session: string; result: string; name: string }) {
  const report = () => ask<unknown>('/api/report', { query: { session, id: result } });
  return <Save name={name} text={async () => JSON.stringify(await report(), null, 2)} />;
}
