import { type Report, reportFormats } from '../../src/report/index.ts';

export function renderJson(report: Report): string {
  return reportFormats.json.render(report);
}

export function renderJunit(report: Report): string {
  return reportFormats.junit.render(report);
}

/** By default without traces. */
export function renderHtml(...given: Parameters<typeof reportFormats.html.render>): Promise<string> {
  return reportFormats.html.render(...given);
}
