import { expect, test } from "bun:test";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { useStack } from "../../harness.ts";
import { createBrowser } from "../../support/identity/browser.ts";
import { textOf } from "../../support/pages/plain.ts";

const { config } = await useStack();
const page = await createBrowser(config.baseUrl).open("/docs");
const operations = contracts.flatMap(({ rest = [] }) => rest);

/** The part of the page from the anchor of an operation to the next one, as text. */
const read = (operationId: string) =>
  textOf({
    ...page,
    text: page.text.split(/(?=<section[^>]* id=")/).find((one) => one.includes(` id="${operationId}"`)) ?? "",
  });

test("/docs shows each operation at its anchor, from this server alone", () => {
  for (const { operationId, method, path } of operations)
    expect(page.text).toContain(
      `<h3 id="${operationId}-name"><a href="#${operationId}"><code>${method} ${path}</code></a></h3>`,
    );
  const complete = read("completeHabit");
  expect(complete).toContain(
    `curl -H &quot;Authorization: Bearer $KEPT_TOKEN&quot; -X POST &#x27;${config.baseUrl}/api/v1/`,
  );
  expect(complete).toContain("Read 20 pages");
  expect(complete).toContain("409 CompleteHabitConflict");
  expect(read("createTodo")).toMatch(/title required\s+Name\s/);
  const addresses = [...page.text.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);
  const isHere = (address: string) => new URL(address, config.baseUrl).origin === config.baseUrl;
  expect(addresses.filter((address) => !isHere(address))).toEqual([]);
});

test("each link within /docs leads to a place of the page, and no place is there twice", () => {
  const ids = [...page.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids).toEqual([...new Set(ids)]);
  const links = [...page.text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.length).toBeGreaterThan(operations.length);
  expect(links.filter((id) => !ids.includes(id))).toEqual([]);
});

test("/docs has the policy of all pages, and caches may keep it for minutes", () => {
  expect(page.headers.get("content-security-policy")).toStartWith(
    "default-src 'none'; style-src 'self'; img-src 'self'; manifest-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'",
  );
  expect(page.headers.get("cache-control")).toBe("public, max-age=300");
});
