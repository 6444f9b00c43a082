import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { searchPattern } from "../../../api/queries/engine/search.ts";
import { folded } from "../../../shared/domain/folding.ts";
import { useStack } from "../../harness.ts";

const stack = await useStack({ travels: true });
const { rest, clock, issuer } = stack;
const { pool } = await stack.page();
clock.now = Date.parse("2026-05-10T12:00:00Z");

type Named = { title?: string; name?: string };
const namesOf = (body: { data: Named[] }) => body.data.map(({ title, name }) => title ?? name);

async function userWith(path: string, items: readonly object[]) {
  const token = await issuer.token({ sub: crypto.randomUUID() });
  const { id: category_id } = (await rest("POST", "/categories", { token, body: { name: "Home" } })).body;
  for (const item of items) {
    const body = "category_id" in item ? { ...item, category_id } : item;
    expect((await rest("POST", path, { token, body })).status).toBe(201);
  }
  const get = (query: string) => rest("GET", `${path}?${query}`, { token });
  const find = async (query: string) => namesOf((await get(query)).body);
  return { token, category_id, get, find };
}

describe("todos", async () => {
  const { category_id, get, find } = await userWith("/todos", [
    { title: "Renew the Passport", due_date: "2026-05-09", category_id: true },
    { title: "Call Zoë", description: "about the café in the\nStraße", due_date: "2026-05-10" },
    { title: "100% done_ish (really?)", context: "Büro", due_date: "2026-05-11", time_of_day: "morning" },
    { title: "Ёлка", due_date: "2026-05-12", category_id: true },
    { title: "undated" },
    { title: "“don’t”… שָׁלוֹם مُحَمَّد ﾀﾞｲ Nº２½ ﬁle" },
  ]);

  test.each([
    ["zoe", ["Call Zoë"]],
    ["CAFÉ  in", ["Call Zoë"]],
    ["the strasse", ["Call Zoë"]],
    ["buro", ["100% done_ish (really?)"]],
    ["елка", ["Ёлка"]],
    ["0% done_", ["100% done_ish (really?)"]],
    ["(really?)", ["100% done_ish (really?)"]],
    ["%", ["100% done_ish (really?)"]],
    ["done.ish", []],
    ["***:.", []],
    ["z.e", []],
    ["undated 100", []],
    ["passport  RENEW", ["Renew the Passport"]],
    ["strasse zoe", ["Call Zoë"]],
    ["buro really", ["100% done_ish (really?)"]],
    ["call call", ["Call Zoë"]],
    ["a a a a a a a about the cafe in the strasse", ["Call Zoë"]],
    ["a b c d e f g strasse the in cafe", []],
    ...['"don\'t"...', "שלום محمد", "ダイ", "ﾀﾞｲ", "2", "no2½ file"].map(
      (q) => [q, ["“don’t”… שָׁלוֹם مُحَمَّد ﾀﾞｲ Nº２½ ﬁle"]] as [string, string[]],
    ),
  ])("q=%s finds %j", async (q, titles) => {
    expect(await find(`q=${encodeURIComponent(q)}`)).toEqual(titles);
  });

  test("filters combine, are counted in meta and kept in links", async () => {
    const wanted = `due_from=2026-05-10&due_to=2026-05-12&category_id=${category_id}&q=%D0%95`;
    const { body } = await get(wanted);
    expect([namesOf(body), body.meta.total]).toEqual([["Ёлка"], 1]);
    expect(Object.fromEntries(new URL(body.links.first).searchParams)).toEqual({
      q: "Е",
      due_from: "2026-05-10",
      due_to: "2026-05-12",
      category_id: String(category_id),
      page: "1",
    });
  });

  test("due_from and due_to are both within, leave out undated todos and combine with due", async () => {
    expect(await find("due_from=2026-05-11")).toEqual(["100% done_ish (really?)", "Ёлка"]);
    expect(await find("due_to=2026-05-10")).toEqual(["Renew the Passport", "Call Zoë"]);
    expect(await find("due=overdue&due_to=2026-05-12")).toEqual(["Renew the Passport"]);
    expect(await find("due=upcoming&due_to=2026-05-11&time_of_day=morning")).toHaveLength(1);
    expect(await find("due=today&due_from=2026-05-11")).toEqual([]);
  });

  test("a category is matched by its id; an unknown one has no todos", async () => {
    expect(await find(`category_id=${category_id}`)).toEqual(["Renew the Passport", "Ёлка"]);
    expect(await find(`category_id=${category_id}&time_of_day=morning`)).toEqual([]);
    expect(await find("category_id=9007199254740991")).toEqual([]);
  });

  test("a period that ends before it begins is refused", async () => {
    const { status, body } = await get("due_from=2026-05-02&due_to=2026-05-01");
    expect([status, Object.keys(body.errors)]).toEqual([422, ["due_to"]]);
  });
});

test("searched pages neither repeat nor skip, and one beyond the last has true meta", async () => {
  const { get } = await userWith(
    "/todos",
    Array.from({ length: 20 }, (_, n) => ({ title: n % 5 === 4 ? `other ${n}` : `letter ${n}` })),
  );
  const pages = [];
  for (const page of [1, 2, 3]) pages.push((await get(`q=LETTER&page=${page}`)).body);
  expect(pages.map(({ data, meta }) => [data.length, meta.total, meta.last_page])).toEqual([
    [15, 16, 2],
    [1, 16, 2],
    [0, 16, 2],
  ]);
  expect(new Set(pages.flatMap(namesOf)).size).toBe(16);
});

test("habits are found by text, category and being due today", async () => {
  const { token, category_id, find, get } = await userWith("/habits", [
    { name: "Méditer", type: "good", frequency: "daily", category_id: true },
    { name: "Run", description: "Around the Øresund", type: "good", frequency: "weekly" },
    { name: "Long walk", type: "good", frequency: "custom", schedule: { weekdays: [6] } },
  ]);
  expect(await find("q=mediter")).toEqual(["Méditer"]);
  expect(await find("q=ORESUND")).toEqual(["Run"]);
  expect(await find(`category_id=${category_id}&q=e`)).toEqual(["Méditer"]);
  expect(await find("due=today")).toEqual(["Méditer", "Run"]);
  const run = (await get("q=run")).body;
  await rest("POST", `/habits/${run.data[0].id}/complete`, { token });
  expect(await find("due=today&completed_today=false")).toEqual(["Méditer"]);
  expect(await find("due=today&completed_today=true")).toEqual(["Run"]);
});

/** Ligatures are left out, because a search finds only whole ones. */
test("PostgreSQL finds by the pattern what folding both texts finds", async () => {
  const letters = fc.constantFrom(
    ...'aAáÅsSøoeE’"–Ａ１ﾀ \u05b8\u00a0\u3000.*\\%_(é́ü`´\u00ad[{^$|-Σσςи́ЙйГ가😀\u0323',
  );
  const word = fc.string({ unit: letters, minLength: 1, maxLength: 4 });
  const oneBlank = (text: string) => text.replace(/\s+/g, " ");
  const inTwoLocales = `select $1::text ~ $2 as found, $1::text collate "C" ~ $2 as found_in_c`;
  await fc.assert(
    fc.asyncProperty(word, fc.array(word, { maxLength: 4 }), async (q, words) => {
      const text = words.join("").normalize("NFC");
      const wanted = oneBlank(q.normalize("NFC")).trim();
      fc.pre(folded(wanted) !== "");
      const { rows } = await pool.query(inTwoLocales, [text, searchPattern(wanted)]);
      const isThere = folded(oneBlank(text)).includes(folded(wanted));
      expect([text, wanted, rows]).toEqual([text, wanted, [{ found: isThere, found_in_c: isThere }]]);
    }),
    {
      numRuns: 2_000,
      examples: [
        ["(a", ["(\u0323a"]],
        ["a a", ["a\u3000\u00a0a"]],
      ],
    },
  );
});
