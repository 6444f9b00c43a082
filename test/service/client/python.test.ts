import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { useStack } from "../../harness.ts";
import { pythonClient } from "../contract/write-python-client.ts";
import { startFaultyProxy } from "./faulty-proxy.ts";

const { config, issuer, rest } = await useStack();
const proxy = await startFaultyProxy(config.baseUrl);
afterAll(proxy.stop);

const isThere = Bun.which("python3") !== null;
if (!isThere) console.log("SKIPPED: the Python client: there is no python3.");

let token = "";
beforeEach(async () => {
  token = await issuer.token({ sub: crypto.randomUUID() });
  proxy.heads.length = 0;
});

/** Runs a program beside the client, which reaches the service through the faulty connection. */
async function python(program: string): Promise<string[]> {
  const own = { PYTHONPATH: dirname(pythonClient), PYTHONDONTWRITEBYTECODE: "1" };
  const running = Bun.spawn(["python3", "-W", "error", "-c", program], {
    env: { ...process.env, ...own, KEPT_TOKEN: token, KEPT_URL: proxy.url },
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([running.stdout.text(), running.stderr.text()]);
  expect(errors).toBe("");
  return out.trim().split("\n");
}

const begin = `
import os
from kept import *
from kept import Kept, KeptError, NoAnswerError, WaitingError
kept = Kept(os.environ["KEPT_TOKEN"], os.environ["KEPT_URL"])
`;

const answered = (head: string, body = "") => ({
  answer: `HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
});

describe.skipIf(!isThere)("the Python client", () => {
  test("runs the example of docs/client.md", async () => {
    await rest("POST", "/habits", { token, body: { name: "Read", type: "good", frequency: "daily" } });
    const page = await Bun.file(join(import.meta.dir, "../../../docs/client.md")).text();
    const [, example = ""] = /^```py\n(.*?)^```$/ms.exec(page) ?? [];
    expect(await python(example)).toEqual([
      "Todo Call the plumber is due on 2026-12-01.",
      "Read 0",
      "404 not_found Todo not found.",
    ]);
  });

  test("makes a change once, whatever happens to its answer", async () => {
    const faults = ["cut", "half", answered("503 Later\r\nRetry-After: 0"), answered("502 Away")] as const;
    for (const fault of faults) {
      proxy.heads.length = 0;
      proxy.faults.push(fault);
      await python(`${begin}kept.create_todo(title="Once")`);
      const keys = proxy.heads.map((head) => /^idempotency-key: (.+)$/im.exec(head)?.[1]);
      expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    }
    expect((await rest("GET", "/todos", { token })).body.meta.total).toBe(faults.length);
  });

  test("lists every thing of all pages, and all changes", async () => {
    const counts = await python(`${begin}
for group in range(3):
    operations = [{"method": "POST", "path": "/todos", "body": {"title": f"Todo {n}"}} for n in range(50)]
    kept.run_batch(operations=operations, atomic=True)
for group in range(2):
    kept.run_batch(operations=[{"method": "POST", "path": "/categories", "body": {"name": f"C {group} {n}"}} for n in range(40)])
print(len({todo["id"] for todo in kept.list_todos()}))
print(len({category["id"] for category in kept.list_categories()}))
pages = list(kept.changes_since())
print(len({(change["type"], change["id"]) for page in pages for change in page["data"]}), len(pages) > 1)
print(len(list(kept.list_todos(q="Todo 49", has_reminder=False))))
`);
    expect(counts).toEqual(["150", "80", "230 True", "3"]);
  });

  test("changes, clears and deletes", async () => {
    const lines = await python(`${begin}
todo = kept.create_todo(title="Paint", due_date="2099-01-01", is_important=True)
print(kept.set_reminder(todo["id"], remind_at="2099-01-01T08:00")["status"])
todo = kept.update_todo(todo["id"], due_date=None)
print(todo["due_date"], todo["is_important"])
print(kept.toggle_todo(todo["id"], is_completed=True)["is_completed"])
print(kept.delete_todo(todo["id"]), len(list(kept.list_todos(status="all"))))
habit = kept.create_habit(name="Read", type="good", frequency="daily")
print(kept.complete_habit(habit["id"])["streak_count"])
print(len(kept.list_habit_completions(habit["id"], from_=kept.get_me()["today"])["data"]))
`);
    expect(lines).toEqual(["scheduled", "None True", "True", "None 0", "1", "1"]);
  });

  test("has errors that tell why, what was applied, and when to come back", async () => {
    const waiting = JSON.stringify({
      id: "7",
      state: "waiting",
      approve_at: "https://x",
      message: "It waits.",
    });
    proxy.faults.push(
      answered("429 Later\r\nRetry-After: 91"),
      "cut",
      "cut",
      answered("202 Accepted\r\nContent-Type: application/json", waiting),
    );
    const lines = await python(`${begin}
once = Kept(os.environ["KEPT_TOKEN"], os.environ["KEPT_URL"], attempts=1)
for call in [
    lambda: kept.get_me(),
    lambda: once.get_me(),
    lambda: once.create_todo(title="Perhaps"),
    lambda: kept.create_todo(title="Ask first"),
    lambda: kept.create_todo(title=""),
]:
    try:
        call()
    except KeptError as error:
        print(type(error).__name__, error.status, error.code, error.applied, error.retry_after, list(error.fields))
`);
    expect(lines).toEqual([
      "KeptError 429 unknown no 91.0 []",
      "NoAnswerError 0 no_answer no None []",
      "NoAnswerError 0 no_answer unknown None []",
      "WaitingError 202 waiting no None []",
      "KeptError 422 invalid no None ['title']",
    ]);
  });
});
