import { expect, test } from "bun:test";
import { SQL } from "bun";
import { readTurns, refuseRead } from "../../../../api/queries/engine/share.ts";
import { useStack } from "../../../harness.ts";

const stack = await useStack();
const { rest, issuer, config } = stack;

function shareOf(kind: Parameters<typeof readTurns>[0]) {
  const turns = readTurns(kind);
  return <Result>(userId: string, read: () => Promise<Result>) => turns.run(userId, read, refuseRead);
}

test("a user who floods with writes is refused beyond a share, and nobody else is", async () => {
  const [mallory, ada] = await Promise.all([issuer.token({ sub: "mallory" }), issuer.token({ sub: "ada" })]);
  const write = (token: string) => rest("POST", "/todos", { token, body: { title: "One of many" } });
  const flood = Array.from({ length: 900 }, () => write(mallory));
  const others = await Promise.all(Array.from({ length: 20 }, () => write(ada)));
  expect(others.map(({ status }) => status)).toEqual(Array(20).fill(201));
  const answers = await Promise.all(flood);
  for (const { status, body } of answers) {
    if (status === 201) continue;
    expect([status, body.code, body.applied]).toEqual([503, "overloaded", "no"]);
  }
  const sql = new SQL(config.databaseUrl, { max: 1 });
  const [row] = await sql`select count(*)::int as count from todos where user_id = 'mallory'`;
  expect(row.count).toBe(answers.filter(({ status }) => status === 201).length);
  await sql.close();
});

test("a user with a long line is served on when the other user has gone", async () => {
  const [mallory, ada] = await Promise.all([
    issuer.token({ sub: "line" }),
    issuer.token({ sub: "passer-by" }),
  ]);
  const write = (token: string) => rest("POST", "/todos", { token, body: { title: "In line" } });
  for (let turn = 0; turn < 8; turn++) {
    await write(ada);
    const answers = await Promise.all(Array.from({ length: 150 }, () => write(mallory)));
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  }
});

test("a user reads three things at a time; others do not wait for that", async () => {
  const share = shareOf("reads");
  const gate = Promise.withResolvers<void>();
  let running = 0;
  const read = async () => {
    running += 1;
    await gate.promise;
    return "read";
  };
  const own = Array.from({ length: 110 }, () => share("mallory", read));
  const refused = await Promise.all(own.slice(103));
  expect(refused).toEqual(Array(7).fill(expect.objectContaining({ refusal: expect.anything() })));
  expect(running).toBe(3);
  expect(await share("ada", async () => "at once")).toBe("at once");
  gate.resolve();
  expect(await Promise.all(own.slice(0, 103))).toEqual(Array(103).fill("read"));
});

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

test("a user has one search at a time", async () => {
  const share = shareOf("searches");
  const gate = Promise.withResolvers<void>();
  let running = 0;
  const search = async () => {
    running += 1;
    await gate.promise;
  };
  const own = [1, 2, 3].map(() => share("mallory", search));
  await share("ada", async () => undefined);
  expect(running).toBe(1);
  gate.resolve();
  await Promise.all(own);
  expect(running).toBe(3);
});
