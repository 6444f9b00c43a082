import { expect, test } from "bun:test";
import { useStack } from "../../harness.ts";

const { rest, issuer } = await useStack();
const now = Math.floor(Date.now() / 1000);

/** The zone that a new reminder of the user has. */
async function zoneOf(token: string): Promise<string> {
  const { body } = await rest("POST", "/todos", { token, body: { title: "x" } });
  const path = `/todos/${body.id}/reminder`;
  return (await rest("PUT", path, { token, body: { remind_at: "2099-06-01T09:00" } })).body.time_zone;
}

test.each([
  ["a year 3,170,000", "1e14", "UTC"],
  ["the second after the year 9999", "253402300800", "UTC"],
  ["next year", String(now + 365 * 86_400), "UTC"],
  ["before 1970", "-1", "UTC"],
  ["far before Christ", "-1e14", "UTC"],
  ["more than any number", "1e400", "UTC"],
  ["a fraction of a second", `${now - 5}.0000001`, "Asia/Tokyo"],
  ["nearly nothing", "5e-324", "Asia/Tokyo"],
])("a token issued in %s works, and its zone counts only when it can be ordered", async (_, iat, zone) => {
  const claims = { ...issuer.claims(), sub: crypto.randomUUID(), zoneinfo: "Asia/Tokyo", iat: "IAT" };
  const token = await issuer.sign(JSON.stringify(claims).replace('"IAT"', iat));
  const neighbour = await issuer.token({ sub: crypto.randomUUID(), zoneinfo: "Europe/Berlin" });
  expect(await Promise.all([zoneOf(token), zoneOf(neighbour)])).toEqual([zone, "Europe/Berlin"]);
});
