import { afterAll, expect, test } from "bun:test";
import { useStack } from "../../harness.ts";

const { config, issuer } = await useStack();
/** Answers that nobody holds are closed. */
const opened: Response[] = [];
const closeAll = () => Promise.all(opened.splice(0).map(({ body }) => body?.cancel()));
afterAll(closeAll);

/** Opens a stream from a network. @returns its status */
async function open(sub: string, network: string): Promise<number> {
  const headers = { authorization: `Bearer ${await issuer.token({ sub })}`, "x-forwarded-for": network };
  const answer = await fetch(`${config.baseUrl}/api/v1/changes/stream`, { headers });
  opened.push(answer);
  return answer.status;
}

test("the clients of one network hold 200 streams, however many accounts they have, and another network finds room", async () => {
  for (let n = 0; n < 200; n++) expect(await open(`crowd-${n}`, "192.0.2.7")).toBe(200);
  expect(await open("newcomer", "192.0.2.7")).toBe(429);
  expect(await open("crowd-0", "192.0.2.7")).toBe(429);
  expect(await open("newcomer", "192.0.2.8")).toBe(200);
  await closeAll();
  let again = 429;
  for (let looks = 0; again === 429 && looks < 200; looks++) {
    await Bun.sleep(10);
    again = await open("newcomer", "192.0.2.7");
  }
  expect(again).toBe(200);
}, 20_000);
