import { afterEach, expect, test } from "bun:test";
import { startStack, useStack } from "../../harness.ts";

const { rest, clock, issuer } = await useStack({ travels: true });
const habit = { name: "Read", type: "good", frequency: "daily" };
afterEach(() => {
  clock.now = undefined;
});

test("a zone that cannot be taken over fails the request, which is for no other day; one that changes nothing is fine", async () => {
  const alone = await startStack({ workers: 0 });
  const dashboard = async (claims: object) =>
    alone.rest("GET", "/dashboard", { token: await alone.issuer.token({ sub: "ada", ...claims }) });
  const moved = await dashboard({ zoneinfo: "Pacific/Auckland" });
  expect(moved).toMatchObject({ status: 503, body: { code: "overloaded" } });
  for (const claims of [{ zoneinfo: "UTC" }, {}]) expect((await dashboard(claims)).status).toBe(200);
});

test("filters combine, and links keep them", async () => {
  const token = await issuer.token({ sub: "filters" });
  const made = [
    { ...habit, frequency: "weekly", time_of_day: "morning" },
    { ...habit, frequency: "weekly", time_of_day: "evening" },
    { ...habit, time_of_day: "morning" },
  ];
  const ids: number[] = [];
  for (const body of made) ids.push((await rest("POST", "/habits", { body, token })).body.id);
  const idsOf = async (query: string) =>
    (await rest("GET", `/habits?${query}`, { token })).body.data.map(({ id }: { id: number }) => id);
  expect(await idsOf("frequency=weekly")).toEqual(ids.slice(0, 2));
  expect(await idsOf("frequency=weekly&time_of_day=morning")).toEqual(ids.slice(0, 1));
  const list = await rest("GET", "/habits?frequency=weekly", { token });
  expect(list.body.links.first).toEndWith("/api/v1/habits?frequency=weekly&page=1");
});

test("deleting a habit deletes its completions; deleting a category keeps its habits and todos", async () => {
  const category_id = (await rest("POST", "/categories", { body: { name: "Home" } })).body.id;
  const created = await rest("POST", "/habits", { body: { ...habit, category_id } });
  expect(created.body.category).toEqual({ id: category_id, name: "Home", color: "#6b7280" });
  const todo = (await rest("POST", "/todos", { body: { title: "x", category_id } })).body;
  await rest("POST", `/habits/${created.body.id}/complete`);
  expect((await rest("DELETE", `/categories/${category_id}`)).status).toBe(204);
  expect((await rest("GET", `/habits/${created.body.id}`)).body.category).toBeNull();
  expect((await rest("GET", `/todos/${todo.id}`)).body.category).toBeNull();
  expect((await rest("DELETE", `/habits/${created.body.id}`)).status).toBe(204);
  expect((await rest("GET", `/habits/${created.body.id}`)).status).toBe(404);
});

test("another user's category is refused like an unknown one", async () => {
  const foreign = await issuer.token({ sub: "eve of habits" });
  const { id } = (await rest("POST", "/categories", { body: { name: "Hers" }, token: foreign })).body;
  const answers = [];
  for (const category_id of [id, 999_999])
    answers.push(await rest("POST", "/habits", { body: { ...habit, category_id } }));
  expect(answers.map(({ status }) => status)).toEqual([422, 422]);
  expect(answers[0]?.body).toEqual(answers[1]?.body);
});

test("flying west onto a completed date leaves it completed; the streak lives on after flying east", async () => {
  const bearer = (zoneinfo: string, iat: number) => issuer.token({ sub: "pilot", zoneinfo, iat });
  const issued = Math.floor(Date.now() / 1000) - 1_000;
  const auckland = await bearer("Pacific/Auckland", issued);
  clock.now = Date.parse("2026-05-05T00:00:00Z"); // Tuesday noon in Auckland
  const body = { name: "Fly", type: "good", frequency: "daily", grace_days: 0 };
  const { id } = (await rest("POST", "/habits", { body, token: auckland })).body;
  const complete = async (token: string) => (await rest("POST", `/habits/${id}/complete`, { token })).status;
  expect(await complete(auckland)).toBe(200); // the 5th
  const honolulu = await bearer("Pacific/Honolulu", issued + 1);
  clock.now = Date.parse("2026-05-05T12:00:00Z"); // still the 5th in Honolulu, 2 a.m.
  expect(await complete(honolulu)).toBe(409);
  const home = await bearer("Pacific/Auckland", issued + 2);
  clock.now = Date.parse("2026-05-06T13:00:00Z"); // the 6th in Honolulu, the 7th in Auckland
  expect((await rest("GET", `/habits/${id}`, { token: home })).body.streak_count).toBe(1);
  expect(await complete(home)).toBe(200);
  expect((await rest("GET", `/habits/${id}`, { token: home })).body.streak_count).toBe(2);
});
