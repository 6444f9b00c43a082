import { expect, test } from "bun:test";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { createBrowser } from "../../support/identity/browser.ts";
import { textOf } from "../../support/pages/plain.ts";
import { useSite } from "../../support/pages/support.ts";

const { config } = (await useSite()).stack;
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
    "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; manifest-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'",
  );
  expect(page.headers.get("cache-control")).toBe("public, max-age=300");
});

const sizeOf = async (path: string, encoding: string) => {
  const answer = await fetch(`${config.baseUrl}${path}`, {
    headers: { "accept-encoding": encoding },
    decompress: false,
  });
  const { byteLength } = await answer.arrayBuffer();
  const { headers } = answer;
  return { coding: headers.get("content-encoding"), vary: headers.get("vary"), byteLength };
};

test("pages, styles and documents travel compressed to whoever takes that", async () => {
  for (const path of ["/docs", "/", "/pages.css", "/openapi.json", "/sign-in"]) {
    const [plain, refused, packed] = [
      await sizeOf(path, "identity"),
      await sizeOf(path, "br, gzip;q=0"),
      await sizeOf(path, "br, gzip;q=0.5"),
    ];
    expect({ path, ...plain }).toMatchObject({ coding: null, vary: "accept-encoding" });
    expect({ path, ...refused }).toEqual({ path, ...plain });
    expect({ path, ...packed }).toMatchObject({ coding: "gzip", vary: "accept-encoding" });
    expect(packed.byteLength).toBeLessThan(plain.byteLength);
  }
  expect((await sizeOf("/docs", "gzip")).byteLength).toBeLessThan(60_000);
  expect(await sizeOf("/inter.woff2", "gzip")).toMatchObject({ coding: null, vary: null });
});

test("all forms of an answer share a token, and each answer has another", async () => {
  const browser = createBrowser(config.baseUrl);
  const tokensOf = async () => {
    const { text } = await browser.open("/sign-in");
    return new Set([...text.matchAll(/name="csrf" value="([^"]+)"/g)].map(([, token]) => token));
  };
  const [first, second] = [await tokensOf(), await tokensOf()];
  expect([first.size, second.size, first.union(second).size]).toEqual([1, 1, 2]);
});
