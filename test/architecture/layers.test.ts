import { describe, expect, test } from "bun:test";
import { entities } from "../../shared/db/entities.ts";
import { importsOf, sources, textOf, within } from "./sources.ts";

async function offences(
  of: (path: string) => boolean,
  forbidden: (target: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  for (const path of sources.filter(of)) {
    for (const target of await importsOf(path))
      if (forbidden(target)) found.push(`${path} imports ${target}`);
  }
  return found;
}

const client = within("api/client");
const clientTypes = "docs/openapi.d.ts";

describe("layers", () => {
  test("api never imports workers, workers never import api", async () => {
    expect(await offences(within("api"), within("workers"))).toEqual([]);
    expect(await offences(within("workers"), within("api"))).toEqual([]);
  });

  test("shared imports neither, nor tests", async () => {
    expect(await offences(within("shared"), within("api", "workers", "test"))).toEqual([]);
  });

  test("nothing but the embedded services imports them", async () => {
    expect(await offences((path) => !within("shared/embedded")(path), within("shared/embedded"))).toEqual([]);
  });

  test("domain rules touch neither database nor queue", async () => {
    const io = within("shared/db", "shared/queue", "shared/embedded", "api", "workers");
    expect(await offences(within("shared/domain"), io)).toEqual([]);
  });

  test("contracts take their words from the domain: they import neither database nor queue", async () => {
    const io = within("shared/db", "shared/queue", "shared/embedded", "api", "workers");
    expect(await offences(within("shared/contracts"), io)).toEqual([]);
  });

  test("the front door and the workers meet only in shared", async () => {
    const outside = (target: string) => !within("api", "shared")(target);
    expect(await offences((path) => within("api")(path) && !client(path), outside)).toEqual([]);
  });

  test("the client is a package of its own: it imports nothing else but the types, and nothing imports it", async () => {
    const isForeign = (target: string) => !client(target) && target !== clientTypes;
    expect(await offences(client, isForeign)).toEqual([]);
    expect(await offences((path) => !client(path), client)).toEqual([]);
  });
});

test("the front door writes nothing: only the built-in identity provider has a schema of its own", async () => {
  const doors = sources.filter((path) => within("api")(path) && !within("api/identity")(path));
  const writing =
    /\b(insertInto|updateTable|deleteFrom)\b|\binsert into\b|\bupdate \w+ set\b|\bdelete from\b/i;
  const found: string[] = [];
  for (const path of doors) if (writing.test(await textOf(path))) found.push(path);
  expect(found).toEqual([]);
});

test("queries name no table but through their guard, which filters by the user", async () => {
  // Stored replies are read by their command's id, which no user shares. The operator's commands read across users.
  const unguarded = ["api/cli/action-log.ts", "api/mailbox/stored-replies.ts"];
  const tables = entities.map(({ meta }) => meta.tableName).join("|");
  const naming = new RegExp(`\\b(from|join)\\s+"?(${tables})\\b|\\bsql\\.(raw|table|id)\\(`, "i");
  const doors = sources.filter((path) => within("api")(path) && !within("api/identity")(path));
  const found: string[] = [];
  for (const path of doors) if (naming.test(await textOf(path))) found.push(path);
  expect(found.sort()).toEqual(unguarded.sort());
});

test("packages are pinned, and the lock file names no registry host", async () => {
  const { dependencies, devDependencies } = JSON.parse(await textOf("package.json"));
  const versions: string[] = Object.values({ ...dependencies, ...devDependencies });
  expect(versions.filter((version) => !/^(npm:[\w-]+@)?\d+\.\d+\.\d+[\w.-]*$/.test(version))).toEqual([]);
  expect(await textOf("package-lock.json")).not.toContain("://registry");
});
