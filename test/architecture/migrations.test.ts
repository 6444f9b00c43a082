import { expect, test } from "bun:test";
import { join } from "node:path";
import { migrations, neighboursKnow } from "../../shared/db/migrations/index.ts";
import { root } from "./sources.ts";

test("the changelog names each migration, and the one that a release must know to run beside them", async () => {
  const changelog = await Bun.file(join(root, "CHANGELOG.md")).text();
  expect(migrations.map(({ name }) => name).filter((name) => !changelog.includes(`\`${name}\``))).toEqual([]);
  expect(changelog).toContain(`Releases that know \`${neighboursKnow}\` may run beside this schema.`);
  expect(migrations.map(({ name }) => name)).toContain(neighboursKnow);
});
