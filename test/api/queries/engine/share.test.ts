import { expect, test } from "bun:test";
import { readTurns, refuseRead } from "../../../../api/queries/engine/share.ts";

function shareOf(kind: Parameters<typeof readTurns>[0]) {
  const turns = readTurns(kind);
  return <Result>(userId: string, read: () => Promise<Result>) => turns.run(userId, read, refuseRead);
}

test.each([
  ["reads", 3],
  ["searches", 1],
] as const)(
  "of a user's %s so many are under way at a time: %d; others do not wait for them",
  async (kind, most) => {
    const share = shareOf(kind);
    const gate = Promise.withResolvers<void>();
    let running = 0;
    const read = async () => {
      running += 1;
      await gate.promise;
      return "read";
    };
    const own = Array.from({ length: most + 107 }, () => share("mallory", read));
    const refused = await Promise.all(own.slice(most + 100));
    expect(refused).toEqual(Array(7).fill(expect.objectContaining({ refusal: expect.anything() })));
    expect(running).toBe(most);
    expect(await share("ada", async () => "at once")).toBe("at once");
    gate.resolve();
    expect(await Promise.all(own.slice(0, most + 100))).toEqual(Array(most + 100).fill("read"));
  },
);

test("a read that waits too long for its turn is refused, and one that fails gives its turn to the next", async () => {
  const share = shareOf("reads");
  const gate = Promise.withResolvers<void>();
  const held = [1, 2, 3].map(() => share("ada", () => gate.promise));
  expect(await share("ada", async () => "late")).toMatchObject({
    refusal: { code: "overloaded", applied: "no" },
  });
  gate.resolve();
  await Promise.all(held);
  const failing = () => share("ada", () => Promise.reject(new Error("away")));
  for (let times = 0; times < 5; times++) await expect(failing()).rejects.toThrow("away");
  expect(await share("ada", async () => "fine")).toBe("fine");
});
