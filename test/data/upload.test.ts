import { expect, test } from "bun:test";
import { csrfToken } from "../../shared/web/csrf.ts";
import type { KeyRing } from "../../shared/web/key-ring.ts";
import { takeUpload } from "../../shared/web/upload.ts";

const origin = "https://kept.example";
const formKeys: KeyRing<string> = ["key"];
const site = { origin, formKeys, home: "/", afterSignIn: "/", root: "", formTargets: [] };

function uploadOf(holder: string) {
  const form = new FormData();
  form.set("csrf", csrfToken(formKeys, holder));
  form.set("files", new File(["TYPE,CONTENT"], "a.csv"));
  const request = new Request(origin, { method: "POST", body: form });
  return { site, request, url: new URL(origin), holder };
}

test("one upload of a person is read at a time, and four in all", async () => {
  const [fourBegan, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let began = 0;
  const take = takeUpload(
    async (_: ReturnType<typeof uploadOf>) => {
      began += 1;
      if (began === 4) fourBegan.resolve();
      await ended.promise;
      return new Response("read");
    },
    ({ holder }) => holder,
  );
  const statusOf = async (holder: string) => (await take(uploadOf(holder))).status;
  const first = ["ada", "bob", "eve", "joe"].map(statusOf);
  await fourBegan.promise;
  expect(await statusOf("ada")).toBe(429);
  expect(await statusOf("zoe")).toBe(503);
  ended.resolve();
  expect(await Promise.all(first)).toEqual([200, 200, 200, 200]);
  expect(await statusOf("zoe")).toBe(200);
});
