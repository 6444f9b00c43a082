import { afterAll, describe, expect, test } from "bun:test";
import { startApi } from "../../../api/start.ts";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { failedPrecondition } from "../../../shared/domain/preconditions.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { handlers } from "../../../workers/handlers/index.ts";
import { type Answer, callRest, freePort, useStack } from "../../harness.ts";

const { rest, config, issuer, clock } = await useStack({ travels: true });

const tagOf = ({ headers }: Answer): string => headers.get("etag") ?? "";
const ifMatch = (tag: string) => ({ "if-match": tag });
const create = async (path: string, body: object) => {
  const answer = await rest("POST", path, { body });
  return { path: `${path}/${answer.body.id}`, tag: tagOf(answer), answer };
};
const category = (await create("/categories", { name: "Home", icon: "home" })).answer.body.id;
const newHabit = () =>
  create("/habits", {
    ...{ name: "Read", type: "good", frequency: "custom", schedule: { weekdays: [1, 2, 3, 4, 5, 6, 7] } },
    ...{ time_of_day: "evening", description: "a\tb", grace_days: 2, category_id: category },
  });
const newTodo = (more: object = {}) =>
  create("/todos", {
    ...{ title: "Écrire", due_date: "2026-11-20", time_of_day: "morning", context: "@home" },
    ...{ category_id: category, estimated_minutes: 5, recurrence: "FREQ=WEEKLY;BYDAY=MO", ...more },
  });
const newCategory = () => create("/categories", { name: "Work", color: "#abc" });

describe("entity tags", () => {
  test("are strong, and those of GET are those of the answers that show the same", async () => {
    for (const make of [newHabit, newTodo, newCategory]) {
      const { path, tag } = await make();
      expect(tag).toMatch(/^"[0-9a-z]+"$/);
      expect(tagOf(await rest("GET", path))).toBe(tag);
      const name = path.startsWith("/todos") ? "title" : "name";
      const patched = await rest("PATCH", path, { body: { [name]: "Other" } });
      expect(tagOf(patched)).not.toBe(tag);
      const read = await rest("GET", path);
      expect(tagOf(read)).toBe(tagOf(patched));
      const put = await rest("PUT", path, { body: read.body });
      expect(tagOf(await rest("GET", path))).toBe(tagOf(put));
    }
    const [habit, todo] = [await newHabit(), await newTodo()];
    for (const [method, path, shown] of [
      ["POST", `${habit.path}/complete`, habit.path],
      ["DELETE", `${habit.path}/complete`, habit.path],
      ["POST", `${todo.path}/toggle`, todo.path],
    ] as const)
      expect(tagOf(await rest(method, path))).toBe(tagOf(await rest("GET", shown)));
  });

  test("of a list change with what it shows", async () => {
    const token = await issuer.token({ sub: "lists" });
    for (const path of ["/habits", "/todos", "/categories", "/dashboard"]) {
      const before = await rest("GET", path, { token });
      expect(tagOf(await rest("GET", path, { token }))).toBe(tagOf(before));
      await rest("POST", "/habits", { token, body: { name: "h", type: "good", frequency: "daily" } });
      await rest("POST", "/todos", { token, body: { title: "t" } });
      await rest("POST", "/categories", { token, body: { name: "c" } });
      expect(tagOf(await rest("GET", path, { token }))).not.toBe(tagOf(before));
    }
  });

  test("what the user's day changes has another tag on another day", async () => {
    const { path, tag } = await newTodo({ due_date: "2099-01-01", recurrence: undefined });
    clock.now = Date.parse("2099-01-02T12:00:00Z");
    expect(tagOf(await rest("GET", path))).not.toBe(tag);
    clock.now = undefined;
  });
});

describe("If-None-Match", () => {
  test("answers 304 to who has it, with the tag and without a body", async () => {
    const { path } = await newTodo();
    for (const address of [path, "/todos", "/habits?page=2", "/dashboard"]) {
      const tag = tagOf(await rest("GET", address));
      for (const header of [tag, `W/${tag}`, `"x", ${tag} , "y"`, "*"]) {
        const { status, headers, body } = await rest("GET", address, {
          headers: { "if-none-match": header },
        });
        expect([status, headers.get("etag"), body]).toEqual([304, tag, undefined]);
      }
      for (const header of ['"x"', "x", tag.replaceAll('"', "")])
        expect((await rest("GET", address, { headers: { "if-none-match": header } })).status).toBe(200);
    }
  });

  test("keeps a change from a state that it names", async () => {
    const { path, tag } = await newTodo();
    const patch = (header: string) =>
      rest("PATCH", path, { body: { title: "y" }, headers: { "if-none-match": header } });
    for (const [header, status] of [
      ["*", 412],
      [`W/${tag}`, 412],
      ['"x"', 200],
    ] as const)
      expect([header, (await patch(header)).status]).toEqual([header, status]);
  });
});

describe("If-Match", () => {
  const changes = [
    ["PUT", newHabit, "", { name: "n", type: "bad", frequency: "daily" }],
    ["PATCH", newHabit, "", { name: "n" }],
    ["POST", newHabit, "/complete", undefined],
    ["DELETE", newHabit, "", undefined],
    ["PUT", newTodo, "", { title: "n" }],
    ["PATCH", newTodo, "", { category_id: null }],
    ["POST", newTodo, "/toggle", undefined],
    ["DELETE", newTodo, "", undefined],
    ["PUT", newCategory, "", { name: "n" }],
    ["PATCH", newCategory, "", { color: null }],
    ["DELETE", newCategory, "", undefined],
  ] as const;

  test.each(changes)("%s: only the state that was seen is changed", async (method, make, suffix, body) => {
    const { path, tag, answer } = await make();
    const send = (header: string) =>
      rest(method, `${path}${suffix}`, { headers: ifMatch(header), ...(body && { body }) });
    for (const stale of ['"x"', `W/${tag}`, tag.replaceAll('"', ""), ""]) {
      const { status, body: refusal } = await send(stale);
      expect([stale, status, refusal.code]).toEqual([stale, 412, "precondition_failed"]);
    }
    expect((await rest("GET", path)).body).toEqual(answer.body);
    const done = await send(`"x", ${tag}`);
    expect(done.status).toBeOneOf([200, 204]);
    expect((await send(tag)).status).toBe(method === "DELETE" ? 404 : 412);
  });

  test("an undo, and a change after somebody else's", async () => {
    const { path, tag } = await newHabit();
    const completed = await rest("POST", `${path}/complete`);
    const undo = (header: string) => rest("DELETE", `${path}/complete`, { headers: ifMatch(header) });
    expect([(await undo(tag)).status, (await undo(tagOf(completed))).status]).toEqual([412, 200]);
  });

  test("a reminder has a tag of its own, and none while there is none", async () => {
    const { path } = await newTodo();
    const set = (remind_at: string, header?: string) =>
      rest("PUT", `${path}/reminder`, { body: { remind_at }, ...(header && { headers: ifMatch(header) }) });
    expect((await set("2099-01-01T09:00", "*")).status).toBe(412);
    const first = await set("2099-01-01T09:00");
    expect(tagOf(await rest("GET", `${path}/reminder`))).toBe(tagOf(first));
    expect((await set("2099-01-02T09:00", tagOf(first))).status).toBe(200);
    expect((await set("2099-01-03T09:00", tagOf(first))).status).toBe(412);
    const clear = (header: string) => rest("DELETE", `${path}/reminder`, { headers: ifMatch(header) });
    expect((await clear(tagOf(first))).status).toBe(412);
    expect((await clear("*")).status).toBe(204);
    expect((await clear("*")).status).toBe(412);
  });

  test("* stands for any state; what is missing is 404; nothing that is yet to be made matches", async () => {
    const { path } = await newTodo();
    expect((await rest("PATCH", path, { body: { title: "y" }, headers: ifMatch("*") })).status).toBe(200);
    expect((await rest("GET", path, { headers: ifMatch("*") })).status).toBe(200);
    expect((await rest("GET", path, { headers: ifMatch('"x"') })).status).toBe(412);
    expect((await rest("DELETE", "/todos/999999999", { headers: ifMatch('"x"') })).status).toBe(404);
    expect((await rest("POST", "/todos", { body: { title: "x" }, headers: ifMatch("*") })).status).toBe(412);
  });

  test("of many writers over two doors who saw the same, exactly one wins", async () => {
    const port = freePort();
    const second = { ...config, port, baseUrl: `http://127.0.0.1:${port}` };
    const api = await startApi({ config: second, log: createLog("test", "silent"), now: Date.now });
    afterAll(api.stop);
    const token = await issuer.token();
    const { path, tag } = await newTodo({ recurrence: undefined });
    for (let round = 0, seen = tag; round < 6; round++) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, writer) =>
          callRest(writer % 2 ? second : config, ...(["PATCH", path] as const), {
            token,
            headers: ifMatch(seen),
            body: { title: `Written by ${writer} in ${round}` },
          }),
        ),
      );
      const won = answers.filter(({ status }) => status === 200);
      expect(answers.filter(({ status }) => status === 412)).toHaveLength(9);
      expect(won).toHaveLength(1);
      expect((await rest("GET", path)).body).toEqual(won[0]?.body);
      seen = won[0] ? tagOf(won[0]) : "";
    }
  });
});

describe("with an idempotency key", () => {
  test("a repeat of what was done answers the first outcome again, and a 412 is not kept", async () => {
    const { path, tag } = await newTodo({ recurrence: undefined });
    const key = crypto.randomUUID();
    const send = (header: string) =>
      rest("PATCH", path, { body: { title: "y" }, headers: { ...ifMatch(header), "idempotency-key": key } });
    expect((await send('"x"')).status).toBe(412);
    const done = await send(tag);
    expect([done.status, done.headers.get("idempotent-replayed")]).toEqual([200, null]);
    await rest("PATCH", path, { body: { title: "somebody else's" } });
    const again = await send(tag);
    const replayed = again.headers.get("idempotent-replayed");
    expect([again.status, replayed, again.body]).toEqual([200, "true", done.body]);
    expect(tagOf(again)).toBe(tagOf(done));
  });

  test("of 15 repeats at once one changes it and all hear so", async () => {
    const { path, tag } = await newTodo({ recurrence: undefined });
    const headers = { ...ifMatch(tag), "idempotency-key": crypto.randomUUID() };
    const toggle = async () => (await rest("POST", `${path}/toggle`, { headers })).status;
    expect(new Set(await Promise.all(Array.from({ length: 15 }, toggle)))).toEqual(new Set([200]));
    expect((await rest("GET", path)).body.is_completed).toBe(true);
  });
});

test("every change of what a path names knows the state that its preconditions are about", () => {
  for (const { kind, name, resource } of contracts)
    if (kind === "command" && resource)
      expect([name, typeof handlers[name].current]).toEqual([name, "function"]);
});

test("lists of tags are read as RFC 9110 writes them", () => {
  const match = (header: string) => failedPrecondition({ ifMatch: header }, '"a"') === undefined;
  expect(['"a"', '"b","a"', ' "b" ,, "a" ', "*", " * "].map(match)).toEqual(Array(5).fill(true));
  expect(["", "a", 'W/"a"', '"b"', '"A"', "'a'", '"a', "**"].map(match)).toEqual(Array(8).fill(false));
  const noneMatch = (header: string) => failedPrecondition({ ifNoneMatch: header }, '"a"') === undefined;
  expect(['"b"', "", "a", 'W/"b"'].map(noneMatch)).toEqual(Array(4).fill(true));
  expect(['"a"', 'W/"a"', '"b", W/"a"', "*"].map(noneMatch)).toEqual(Array(4).fill(false));
  expect(failedPrecondition({ ifMatch: "*" }, null)).toBe("If-Match");
  expect(failedPrecondition({ ifNoneMatch: "*" }, null)).toBeUndefined();
  expect(failedPrecondition({ ifMatch: '"b"', ifNoneMatch: '"a"' }, '"a"')).toBe("If-Match");
});
