/**
 * A release's section of the changelog, without its heading.
 * @param version as package.json has it; its heading may go on with the date
 * @throws without this section, or if it is empty
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  const notes = section?.slice(section.indexOf("\n")).trim();
  if (!notes) throw new Error(`CHANGELOG.md says nothing below the heading "## ${version}".`);
  return `${notes}\n`;
}

/** @throws when a tag is not the version of package.json */
export function demandTagOf(version: string, tag: string): void {
  if (tag !== `v${version}`)
    throw new Error(`The tag of ${version} is v${version}, not ${tag}. Change package.json or the tag.`);
}
