import { expect, test } from "bun:test";
import { join } from "node:path";
import { events } from "../../../../shared/domain/journal/events.ts";

const page = Bun.file(join(import.meta.dir, "../../../../docs/journal.md"));

test("the document names every kind of event, its name in the security log, and whether people are told", async () => {
  const rows = [...(await page.text()).matchAll(/^\| `(\w+)` \| `(\w+)` \|( yes)? \|$/gm)];
  const documented = rows.map(([, kind, event, told]) => [kind, event, told !== undefined]);
  expect(documented).toEqual(
    Object.entries(events).map(([kind, { logs, told }]) => [kind, logs, told !== null]),
  );
});
