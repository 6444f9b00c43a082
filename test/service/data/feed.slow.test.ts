import { expect, test } from "bun:test";
import { hashOf } from "../../../api/doors/pages/calendar/feed.ts";
import { newSecret } from "../../../api/web/key-ring.ts";
import { useStack } from "../../harness.ts";

const stack = await useStack();

test("many who ask for addresses that there are not keep nobody from theirs", async () => {
  const secret = newSecret();
  const door = await stack.page();
  await door.send(stack.sub, "calendar.set", { secret_hash: hashOf(secret) });
  const get = async (address: string, network: string) =>
    (await fetch(`${stack.config.baseUrl}/calendar/${address}.ics`, { headers: from(network) })).status;
  const from = (network: string) => ({ "x-forwarded-for": network });
  let over = false;
  const statuses = new Set<number>();
  const strangers = Array.from({ length: 400 }, async () => {
    while (!over) statuses.add(await get(newSecret(), "192.0.2.1"));
  });
  await Bun.sleep(300);
  for (let n = 0; n < 10; n++) expect(await get(secret, "198.51.100.7")).toBe(200);
  over = true;
  await Promise.all(strangers);
  expect([...statuses].filter((status) => status !== 404 && status !== 503)).toEqual([]);
});
