import { expect, test } from "bun:test";
import { uploadFiles } from "../../../../api/doors/pages/import/page.ts";
import type { Visit } from "../../../../api/doors/pages/session/context.ts";
import { csrfToken } from "../../../../api/web/form/form.ts";
import { takeUpload } from "../../../../api/web/form/upload.ts";
import type { KeyRing } from "../../../../api/web/key-ring.ts";

const origin = "https://kept.example";
const formKeys: KeyRing<string> = ["key"];
const site = { origin, formKeys, home: "/", afterSignIn: "/", root: "", formTargets: [] };

function uploadOf(holder: string, files = 1) {
  const form = new FormData();
  form.set("csrf", csrfToken(formKeys, holder));
  for (let file = 0; file < files; file++) form.append("files", new File(["TYPE,CONTENT"], "a.csv"));
  const request = new Request(origin, { method: "POST", body: form });
  return { site, request, url: new URL(origin), holder };
}

const unlimited = { refused: async () => undefined };

test("one upload of a person is read at a time, and four in all", async () => {
  const [fourBegan, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let began = 0;
  const take = takeUpload({
    ...unlimited,
    async act() {
      began += 1;
      if (began === 4) fourBegan.resolve();
      await ended.promise;
      return new Response("read");
    },
  });
  const statusOf = async (holder: string) => (await take(uploadOf(holder))).status;
  const first = ["ada", "bob", "eve", "joe"].map(statusOf);
  await fourBegan.promise;
  expect(await statusOf("ada")).toBe(429);
  expect(await statusOf("zoe")).toBe(503);
  ended.resolve();
  expect(await Promise.all(first)).toEqual([200, 200, 200, 200]);
  expect(await statusOf("zoe")).toBe(200);
});

test("a form of many parts is refused before it is taken apart", async () => {
  const take = takeUpload({
    ...unlimited,
    act: async (_, { files }) => new Response(String(files.length)),
  });
  expect((await take(uploadOf("ada", 298))).status).toBe(200);
  expect((await take(uploadOf("ada", 301))).status).toBe(413);
});

test("more uploads than an hour takes are refused before their bytes are read", async () => {
  const visit = uploadOf("ada");
  const limited: unknown = {
    ...visit,
    context: { site, uploadLimit: async () => ({ allowed: false }) },
    session: { sub: "ada" },
  };
  const refused = await uploadFiles(limited as Visit);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
  expect(visit.request.bodyUsed).toBe(false);
});
