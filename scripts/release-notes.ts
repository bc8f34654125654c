/**
 * Prints what the changelog says of a release, and refuses a tag that is not the version of the package:
 *
 *   node scripts/release-notes.ts v1.2.3
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The section of a version in a changelog, without its heading.
 * @throws Error when the tag is not that of the version, or the changelog does not know it
 */
export function releaseNotes(tag: string, version: string, changelog: string): string {
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, and package.json says ${version}.`);
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  const notes = section?.slice(section.indexOf('\n')).trim();
  if (!notes)
    throw new Error(`CHANGELOG.md says nothing of ${version}: name the section of what is unreleased after it.`);
  return `${notes}\n`;
}

if (import.meta.main) {
  const read = (file: string) => readFileSync(path.join(import.meta.dirname, '..', file), 'utf8');
  process.stdout.write(
    releaseNotes(process.argv[2] ?? '', JSON.parse(read('package.json')).version, read('CHANGELOG.md')),
  );
}
