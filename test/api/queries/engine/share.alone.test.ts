import { expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";

const { rest, issuer } = await useStack();

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
  const { body } = await rest("GET", "/todos", { token: mallory });
  expect(body.meta.total).toBe(answers.filter(({ status }) => status === 201).length);
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
