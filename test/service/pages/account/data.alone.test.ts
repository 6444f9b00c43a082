import { expect, test } from "bun:test";
import { join } from "node:path";
import { useStack } from "../../../harness.ts";
import { cookieOf } from "../../../support/identity/browser.ts";
import { newPlainPerson, textOf } from "../../../support/pages/plain.ts";
import { eventually, query } from "../../../support/reminder/stack.ts";

const stack = await useStack();
const { baseUrl, databaseUrl } = stack.config;
const sample = Bun.file(join(import.meta.dir, "../../../api/doors/pages/import/readers/samples/todoist.csv"));
const dataPath = "/account/data";
const [importPath, applyPath] = [`${dataPath}/import`, `${dataPath}/import/apply`];

async function newPerson() {
  const person = await newPlainPerson(stack);
  return {
    ...person,
    total: async () => (await person.rest("GET", "/todos")).meta.total,
    /** Sends a file by the form of the page. */
    upload: async (file: File, answers: Record<string, string> = {}) =>
      person.account.submit(await person.account.open(dataPath), importPath, { ...answers, files: file }),
  };
}

const fileOf = (name: string, content: string | Uint8Array<ArrayBuffer>) => new File([content], name);

test("a person brings a file, takes everything along, and lets a calendar look", async () => {
  const { account, total, upload } = await newPerson();
  const todoist = fileOf("todoist.csv", await sample.text());
  const preview = await upload(todoist);
  expect(textOf(preview)).toContain("5 todos");
  expect(textOf(preview)).toContain("Comes without a date, because “when it is full”");
  expect(await total()).toBe(0);
  const imported = await account.submit(preview, applyPath, {});
  const said = "Imported 0 habits with 0 completions, 5 todos and 1 category.";
  expect([textOf(imported).includes(said), await total()]).toEqual([true, 5]);
  await account.open(imported.url);
  expect(await total()).toBe(5);

  const everything = JSON.parse((await account.open(`${dataPath}/export?format=json`)).text);
  expect(everything.todos.map(({ title }: { title: string }) => title)).toContain("Water the ferns");
  const csv = (await account.open(`${dataPath}/export?format=csv&kind=todos`)).text;
  expect(csv.split("\r\n")).toHaveLength(7);
  expect(csv).toContain('"Sow the beans"');
  expect(textOf(await upload(todoist))).toContain("Everything in this file is here already.");

  const actions = await account.open("/account/actions");
  expect(textOf(actions)).toContain("Imported 5 todos and 1 category from a file");
  const undone = await account.submit(actions, "/account/actions/undo", {});
  expect([textOf(undone).includes("Taken back"), await total()]).toEqual([true, 0]);

  const data = await account.open(dataPath);
  const made = await account.submit(data, `${dataPath}/calendar`, {});
  const address = /class="secret address">([^<]+)</.exec(made.text)?.[1] ?? "";
  expect((await fetch(address)).status).toBe(200);
  account.cookies.delete("kept_feed");
  const later = await account.open(dataPath);
  expect(later.text).not.toContain(address);
  const ended = await account.submit(later, `${dataPath}/calendar/end`, {});
  expect(textOf(ended)).toContain("Make an address");
  expect((await fetch(address)).status).toBe(404);
});

test("a long import shows its progress, then what came, and goes on without its page", async () => {
  const { account, total, upload } = await newPerson();
  // PostgreSQL takes half a second for one of the todos.
  await query(
    databaseUrl,
    `create function slowly() returns trigger language plpgsql as $$
    begin perform pg_sleep(0.5); return new; end $$;
    create trigger slowly before insert on todos
    for each row when (new.title = 'Slow import 900') execute function slowly()`,
  );
  const tasks = Array.from({ length: 1_500 }, (_, n) => `task,Slow import ${n}`);
  const preview = await upload(fileOf("Home.csv", `TYPE,CONTENT\n${tasks.join("\n")}`));
  const begun = await account.submit(preview, applyPath, {});
  expect(textOf(begun)).toMatch(/\d+ of 1501 things are here/);
  const said = "Imported 0 habits with 0 completions, 1500 todos and 1 category.";
  await eventually(async () => textOf(await account.open(begun.url)).includes(said));
  expect(await total()).toBe(1_500);
  expect((await account.open(`${applyPath}?work=nothing`)).url).toBe(`${baseUrl}${dataPath}`);
  await query(databaseUrl, "drop function slowly cascade");
});

test("whatever is uploaded is answered by a page", async () => {
  const { account, upload } = await newPerson();
  const empty = `{"format":"kept-export","version":1,"todos":[${"{},".repeat(1_650_000)}{}]}`;
  const refused = "That did not work";
  for (const [name, content, status, heading, csrf] of [
    ["a.csv", "TYPE,CONTENT\ntask,A", 403, refused, { csrf: "x" }],
    ["a.csv", new Uint8Array(5 * 1024 * 1024 + 1), 413, refused],
    ["a.zip", "PK\u0003\u0004 is no archive", 422, refused],
    ["a.png", new Uint8Array([0, 255, 1, 254]), 200, "Preview"],
    ["a.json", `{"tasks":${"[".repeat(100_000)}`, 200, "Preview"],
    ["a.json", empty, 422, refused],
  ] as const) {
    const page = await upload(fileOf(name, content), csrf);
    expect([name, page.status, /<h1[^>]*>(.*?)<\/h1>/.exec(page.text)?.[1]]).toEqual([name, status, heading]);
  }
  const broken = await fetch(`${baseUrl}${importPath}`, {
    method: "POST",
    headers: {
      origin: baseUrl,
      cookie: cookieOf(account),
      "content-type": "multipart/form-data; boundary=x",
    },
    body: "--y nothing",
  });
  expect(broken.status).toBe(400);
});
