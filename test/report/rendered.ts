import { type Report, RunHistory, reportFormats } from '../../src/report/index.ts';

type KeptOf = Parameters<typeof reportFormats.html.render>[1]['keptOf'];

export function renderJson(report: Report): string {
  return reportFormats.json.render(report);
}

export function renderJunit(report: Report): string {
  return reportFormats.junit.render(report);
}

/** Without trends; by default without traces, too. */
export function renderHtml(report: Report, keptOf: KeptOf = async () => []): Promise<string> {
  return reportFormats.html.render(report, { keptOf, history: new RunHistory() });
}
