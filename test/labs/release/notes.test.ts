import { expect, test } from "bun:test";
import { demandTagOf, releaseNotes } from "./notes.ts";

const release = ["## 0.10.0 - 2027-01-02", "**Upgrade**: nothing to do.", "### Fixed", "- A fault."];
const changelog = [
  "# Changelog",
  "## Unreleased",
  "- More.",
  ...release,
  "## 0.1.0",
  "- The first.",
  "## 0.0.9\n",
].join("\n\n");

test("notes are the section of their version alone, with its parts", () => {
  expect(releaseNotes(changelog, "0.10.0")).toBe("**Upgrade**: nothing to do.\n\n### Fixed\n\n- A fault.\n");
  expect(releaseNotes(changelog, "0.1.0")).toBe("- The first.\n");
});

test.each(["0.2.0", "0.1", "0.0.9"])("a release %s without notes is refused", (version) => {
  expect(() => releaseNotes(changelog, version)).toThrow(`"## ${version}"`);
});

test("a tag follows the version of package.json", () => {
  expect(() => demandTagOf("0.1.0", "v0.1.0")).not.toThrow();
  for (const tag of ["0.1.0", "v0.2.0", "v0.1.0-beta"])
    expect(() => demandTagOf("0.1.0", tag)).toThrow("The tag of 0.1.0 is v0.1.0");
});
