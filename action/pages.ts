/** The address of a page of a repository, such as `actions/runs/77`. */
export function pageOf(
  repository: string,
  place: string,
  { GITHUB_SERVER_URL }: NodeJS.ProcessEnv = process.env,
): string {
  return `${GITHUB_SERVER_URL ?? 'https://github.com'}/${repository}/${place}`;
}

/**
 * Stands in a text for the address of the report. Its artifact has an address only when a later step of the job has
 * uploaded it: then the post step learns of it. It is no shorter than such an address, so that the comment still fits.
 */
export const REPORT = `https://report.invalid/${'_'.repeat(80)}`;

/** The text with that address: with its fragment, unless the address has one and is only where the report is found. */
export function withReport(text: string, address: string): string {
  return text.replaceAll(/https:\/\/report\.invalid\/_+(#[^\s)]*)?/g, (_, place = '') =>
    address.includes('#') ? address : address + place,
  );
}
