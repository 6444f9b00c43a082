import { expect, test } from "bun:test";
import { chmod, mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { commandBlocks, commandLines } from "../../support/documented.ts";
import { folderOfFile } from "../../support/folder.ts";
import { consent, signedUp } from "../../support/identity/support.ts";
import { runKept } from "../../support/kept-command.ts";
import { useSite } from "../../support/pages/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

const { stack, identity } = await useSite();
const { config } = stack;
const folder = folderOfFile("login");

/** Stands in for the desktop's program: the address that it should open is the test's. */
const opened = join(folder, "opened");
await mkdir(join(folder, "bin"));
await Bun.write(
  join(folder, "bin/xdg-open"),
  `#!/bin/sh\nprintf %s "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`,
);
await chmod(join(folder, "bin/xdg-open"), 0o755);

const folders = {
  PATH: `${folder}/bin:${process.env.PATH}`,
  HOME: folder,
  XDG_CONFIG_HOME: join(folder, "config"),
  XDG_STATE_HOME: join(folder, "state"),
};
const start = (words: readonly string[], env = {}) => runKept(words, { ...folders, ...env });

const blocks = await commandBlocks("docs/client.md");
const [signIn = [], signOut = []] = blocks
  .filter(({ runBy }) => runBy.includes("test/service/client/login.test.ts"))
  .flatMap(commandLines)
  .map((line) => line.replace("http://localhost:3000", config.baseUrl).split(" ").slice(1));

const kept = (...words: string[]) => start(words);
const stored = join(folder, "config/kept/login.json");
const readStored = () => Bun.file(stored).json();

/** Signs in as a new person, who ticks these scopes; `answer` is the last address of their browser. */
async function login(ticked: string[], answer = (address: string) => address) {
  await rm(opened, { force: true });
  const running = kept(...signIn);
  const address = await eventually(async () => (await Bun.file(opened).exists()) && Bun.file(opened).text());
  const browser = await signedUp(config);
  const { url } = await consent(browser, await browser.open(address), ticked);
  const page = await fetch(answer(url));
  return { address: new URL(address), back: new URL(url), page, running };
}

const all = ["habits", "todos", "categories"].flatMap((name) => [`${name}:read`, `${name}:write`]);

test("login by the browser, then commands without a token, until logout revokes it", async () => {
  expect(await kept("today")).toMatchObject({ exitCode: 2, errors: expect.stringContaining("kept login") });
  const { address, back, page, running } = await login(all);
  expect(address.searchParams.get("code_challenge_method")).toBe("S256");
  expect(back.hostname).toBe("127.0.0.1");
  expect(await page.text()).toContain("return to the terminal");
  expect(await running).toMatchObject({ exitCode: 0, out: `Signed in at ${config.baseUrl}.` });
  expect((await stat(stored)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "config/kept"))).mode & 0o777).toBe(0o700);

  expect((await kept("add", "Water plants #Home")).errors).toBe("");
  expect((await kept("list")).out).toContain("Water plants");
  // A sign-in is for one address.
  expect(await start(["list"], { KEPT_URL: "http://127.0.0.1:9" })).toMatchObject({ exitCode: 2 });

  const { access_token, refresh_token, token_endpoint, client_id } = await readStored();
  expect(await kept(...signOut)).toMatchObject({ exitCode: 0, out: `Signed out of ${config.baseUrl}.` });
  expect(await Bun.file(stored).exists()).toBe(false);
  expect(await identity.introspect(access_token)).toEqual({ active: false });
  const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token, client_id });
  expect((await fetch(token_endpoint, { method: "POST", body })).status).toBe(400);
  expect(await kept("logout")).toMatchObject({ exitCode: 1, errors: "kept: Nobody is signed in." });
});

test("an old token is renewed once, however many commands run at the moment, and undo knows its act", async () => {
  await (await login(all)).running;
  await kept("add", "Buy milk");
  const before = await readStored();
  let renewals = 0;
  // A slow provider, so that all commands want a new token before the first has it.
  await using slow = Bun.serve({
    port: 0,
    async fetch(request) {
      renewals++;
      await Bun.sleep(700);
      return fetch(before.token_endpoint, {
        method: "POST",
        body: new URLSearchParams(await request.text()),
      });
    },
  });
  const token_endpoint = slow.url.href;
  await Bun.write(stored, JSON.stringify({ ...before, token_endpoint, expires_at: 0 }));
  const runs = await Promise.all([kept("list"), kept("list"), kept("list"), kept("search", "milk")]);
  for (const { exitCode, out } of runs)
    expect([exitCode, out]).toEqual([0, expect.stringContaining("Buy milk")]);
  expect(renewals).toBe(1);
  const after = await readStored();
  expect(after.access_token).not.toBe(before.access_token);
  expect(after.expires_at).toBeGreaterThan(Date.now());
  expect((await kept("undo")).out).toStartWith("Deleted “Buy milk” again.");
});

test("a sign-in that the person ended leads to a new one", async () => {
  await Bun.write(stored, JSON.stringify({ ...(await readStored()), expires_at: 0, refresh_token: "gone" }));
  expect(await kept("list")).toMatchObject({
    exitCode: 1,
    errors: expect.stringMatching(/^kept: The sign-in could not be renewed .* kept login\.$/),
  });
});

test("only an answer with the state of this sign-in counts, and a refusal ends it", async () => {
  const { page, running } = await login(["todos:read"], (url) => {
    const other = new URL(url);
    other.searchParams.set("state", "forged");
    return other.href;
  });
  expect(page.status).toBe(404);
  const address = new URL(await Bun.file(opened).text());
  const back = new URL(address.searchParams.get("redirect_uri") ?? "");
  back.search = `error=access_denied&error_description=No&state=${address.searchParams.get("state")}`;
  await fetch(back);
  expect(await running).toMatchObject({ exitCode: 1, errors: expect.stringContaining("kept: No") });
});
