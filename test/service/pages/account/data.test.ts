import { expect } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SQL } from "bun";
import { browserTest, signedInPerson, useSite } from "../../../support/pages/support.ts";

const site = await useSite();
const { baseUrl, authUrl } = site.stack.config;
const samples = join(import.meta.dir, "../../../api/doors/pages/import/readers/samples");

browserTest("a person brings a file, takes everything along, and lets a calendar look", async () => {
  const { page, newToken } = await signedInPerson(site);
  const token = await newToken("Script");
  const total = async () => (await site.stack.rest("GET", "/todos", { token })).body.meta.total;

  await page.goto(`${authUrl}/profile`);
  await page.getByText("Delete my account and everything in it").click();
  await page.getByRole("link", { name: "Download everything first" }).click();
  await page.waitForURL(`${baseUrl}/account/data`);

  await page.getByLabel("Files, 5 MB together").setInputFiles(join(samples, "todoist.csv"));
  await page.getByRole("button", { name: "Show what would come" }).click();
  await page.getByText("5 todos").waitFor();
  await page.getByText("Comes without a date, because “when it is full”").waitFor();
  expect(await total()).toBe(0);
  await page.getByRole("button", { name: "Import all of this" }).click();
  expect(await page.getByRole("status").textContent()).toBe(
    "Imported 0 habits with 0 completions, 5 todos and 1 category.",
  );
  expect(await total()).toBe(5);
  await page.reload();
  expect(await page.getByRole("status").textContent()).toContain("5 todos");
  expect(await total()).toBe(5);

  await page.goto(`${baseUrl}/account/data`);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download everything (JSON)" }).click(),
  ]);
  const everything = JSON.parse(await readFile(await file.path(), "utf8"));
  expect(everything.todos.map(({ title }: { title: string }) => title)).toContain("Water the ferns");
  const csv = await (await page.request.get(`${baseUrl}/account/data/export?format=csv&kind=todos`)).text();
  expect(csv.split("\r\n")).toHaveLength(7);
  expect(csv).toContain('"Sow the beans"');

  await page.getByLabel("Files, 5 MB together").setInputFiles(join(samples, "todoist.csv"));
  await page.getByRole("button", { name: "Show what would come" }).click();
  await page.getByText("Everything in this file is here already.").waitFor();

  await page.goto(`${baseUrl}/account/actions`);
  const imported = page.locator("li.card", { hasText: "Imported 5 todos and 1 category from a file" });
  await imported.getByRole("button", { name: "Take back" }).click();
  await page.getByText("Taken back").first().waitFor();
  expect(await total()).toBe(0);

  await page.goto(`${baseUrl}/account/data`);
  await page.getByRole("button", { name: "Make an address" }).click();
  const address = (await page.locator("code.address").textContent()) ?? "";
  expect((await fetch(address)).status).toBe(200);
  await page.context().clearCookies({ name: "kept_feed" });
  await page.reload();
  expect(await page.locator("code.address").count()).toBe(0);
  await page.getByRole("button", { name: "End the feed" }).click();
  await page.getByRole("button", { name: "Make an address" }).waitFor();
  expect((await fetch(address)).status).toBe(404);
});

/** PostgreSQL takes half a second for a todo with this title. */
async function slowTodo(title: string): Promise<void> {
  const sql = new SQL(site.stack.config.databaseUrl);
  await sql.unsafe(`
    create function slowly() returns trigger language plpgsql as $$
    begin perform pg_sleep(0.5); return new; end $$;
    create trigger slowly before insert on todos for each row when (new.title = '${title}') execute function slowly()`);
  await sql.close();
}

browserTest("a long import shows its progress, then what came, and goes on without its page", async () => {
  const { page, newToken } = await signedInPerson(site);
  const token = await newToken("Script");
  const total = async () => (await site.stack.rest("GET", "/todos", { token })).body.meta.total;
  await slowTodo("Todo 900");
  const csv = `TYPE,CONTENT\n${Array.from({ length: 1_500 }, (_, n) => `task,Todo ${n}`).join("\n")}`;
  await page.goto(`${baseUrl}/account/data`);
  const buffer = Buffer.from(csv);
  await page
    .getByLabel("Files, 5 MB together")
    .setInputFiles({ name: "Home.csv", mimeType: "text/csv", buffer });
  await page.getByRole("button", { name: "Show what would come" }).click();
  await page.getByRole("button", { name: "Import all of this" }).click();
  await page.getByText(/\d+ of 1501 things are here/).waitFor();
  await page.getByText("Imported 0 habits with 0 completions, 1500 todos and 1 category.").waitFor();
  expect(await total()).toBe(1_500);
  await page.goto(`${baseUrl}/account/data/import/apply?work=nothing`);
  expect(page.url()).toBe(`${baseUrl}/account/data`);
});

browserTest("whatever is uploaded is answered by a page", async () => {
  const { page } = await signedInPerson(site);
  await page.goto(`${baseUrl}/account/data`);
  const csrf = await page.locator('form[action="/account/data/import"] [name=csrf]').inputValue();
  const send = async (name: string, buffer: Buffer, token = csrf) => {
    const files = { name, mimeType: "application/octet-stream", buffer };
    const headers = { origin: baseUrl };
    const response = await page.request.post(`${baseUrl}/account/data/import`, {
      headers,
      multipart: { csrf: token, files },
    });
    return [response.status(), (await response.text()).match(/<h1>(.*?)<\/h1>/)?.[1]];
  };
  const refused = (status: number) => [status, "That did not work"];
  expect(await send("a.csv", Buffer.from("TYPE,CONTENT\ntask,A"), "x")).toEqual(refused(403));
  expect(await send("a.csv", Buffer.alloc(5 * 1024 * 1024 + 1))).toEqual(refused(413));
  expect(await send("a.zip", Buffer.from("PK\u0003\u0004 is no archive"))).toEqual(refused(422));
  expect(await send("a.png", Buffer.from([0, 255, 1, 254]))).toEqual([200, "What would come"]);
  const deep = `{"tasks":${"[".repeat(100_000)}`;
  expect(await send("a.json", Buffer.from(deep))).toEqual([200, "What would come"]);
  const empty = `{"format":"kept-export","version":1,"todos":[${"{},".repeat(1_650_000)}{}]}`;
  expect(await send("a.json", Buffer.from(empty))).toEqual(refused(422));
  const headers = { origin: baseUrl, "content-type": "multipart/form-data; boundary=x" };
  const broken = await page.request.post(`${baseUrl}/account/data/import`, { headers, data: "--y nothing" });
  expect(broken.status()).toBe(400);
});
