import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "openapi-fetch";
import { errorOf } from "./errors.ts";
import type { components, paths } from "./schema.ts";

type Schemas = components["schemas"];

/** The openapi-fetch client of Kept's routes: `GET`, `POST` and so on, typed by path. */
export type KeptClient = Client<paths>;

/** The result of a call: data if the request succeeded, else the refusal. */
type ClientAnswer<Data> = Readonly<{ data?: Data; error?: unknown; response: Response }>;

const isData = <Data>(answer: ClientAnswer<Data>): answer is ClientAnswer<Data> & Readonly<{ data: Data }> =>
  answer.response.ok && answer.response.status !== 202;

/**
 * The data of a call, for callers who prefer exceptions.
 * @throws KeptError if the request was refused, waits for approval or was not answered
 */
export async function dataOf<Data>(call: Promise<ClientAnswer<Data>>): Promise<Data> {
  const answer = await call;
  if (isData(answer)) return answer.data;
  throw errorOf(answer.error ?? answer.data, answer.response);
}

type Page<Item> = Readonly<{
  data: readonly Item[];
  links: Schemas["PageLinks"];
}>;

/**
 * All things of a list, each once:
 * `for await (const todo of everyItem((page) => kept.GET("/todos", { params: { query: { due: "today", page } } })))`.
 * All pages are read before the first thing comes, so the caller may take things off the list. Changes by others
 * meanwhile move the pages; `changesSince` misses nothing.
 */
export async function* everyItem<Item>(
  listPage: (page: number) => Promise<ClientAnswer<Page<Item>>>,
): AsyncGenerator<Item, void> {
  const items: Item[] = [];
  for (let page = 1; ; page++) {
    const { data, links } = await dataOf(listPage(page));
    items.push(...data);
    if (links.next === null) break;
  }
  yield* items;
}

const changesOfPage = 200;

/**
 * Pages of changes up to the present: since a cursor, or everything without one. A full page that says it is the last one
 * has changes of transactions under way; what follows them comes when they have ended.
 */
export async function* changesSince(
  kept: KeptClient,
  cursor?: string,
): AsyncGenerator<Schemas["Changes"], void> {
  for (let next = cursor; ; ) {
    const query = next === undefined ? {} : { cursor: next };
    const page = await dataOf(kept.GET("/changes", { params: { query } }));
    yield page;
    if (!page.has_more && page.data.length < changesOfPage) return;
    if (!page.has_more) await pause(1_000);
    next = page.next_cursor;
  }
}

/** Stands for the id of a thing that an earlier operation makes, in a path or as `category_id`. */
export type EarlierId = `$${number}.id`;

/** An operation of a group, from which later ones take the id. */
export type Handle<Answer> = Readonly<{ index: number; id: EarlierId; answer?: Answer }>;

type Json<Content> = Content extends { content: { "application/json": infer Body } } ? Body : never;
type Operation<Path extends keyof paths, Verb extends string> = paths[Path][Lowercase<Verb> &
  keyof paths[Path]];
type BodyOf<Route> = Route extends { requestBody?: infer Body }
  ? WithEarlierId<Json<NonNullable<Body>>>
  : never;
type WithEarlierId<Body> = Body extends { category_id?: infer Id }
  ? Omit<Body, "category_id"> & { category_id?: Id | EarlierId }
  : Body;
type AnswerOf<Route> = Route extends { responses: infer Answers }
  ? Json<Answers[keyof Answers & (200 | 201)]>
  : never;

/** The paths that a method changes, without the group itself. */
type PathOf<Verb extends Schemas["BatchMethod"]> = {
  [Path in keyof paths]: Lowercase<Verb> extends keyof paths[Path] ? Path : never;
}[Exclude<keyof paths, "/batch">];

type Given<Path extends keyof paths, Verb extends string> = (Path extends `${string}{${infer Id}}${string}`
  ? Readonly<{ path: Readonly<Record<Id, number | EarlierId>> }>
  : Readonly<{ path?: never }>) &
  Readonly<{ body?: BodyOf<Operation<Path, Verb>> }>;

export type GroupResults = Readonly<{
  /** @throws KeptError if this operation was refused */
  of<Answer>(handle: Handle<Answer>): Answer;
}>;

export type Group = Readonly<{
  add<Verb extends Schemas["BatchMethod"], Path extends PathOf<Verb>>(
    method: Verb,
    path: Path,
    given: Given<Path, Verb>,
  ): Handle<AnswerOf<Operation<Path, Verb>>>;
  /**
   * Sends the operations: all of them happen or none, unless `atomic` is false.
   * @throws KeptError of the operation because of which none happened
   */
  run(options?: Readonly<{ atomic?: boolean }>): Promise<GroupResults>;
}>;

/** Collects up to 50 changes that travel as one `POST /batch`. */
export function createGroup(kept: KeptClient): Group {
  const operations: Schemas["BatchOperation"][] = [];
  return {
    add(method, path, { path: ids = {}, body }) {
      const index = operations.length;
      const entries = Object.entries(ids);
      const filled = entries.reduce<string>((all, [name, id]) => all.replace(`{${name}}`, String(id)), path);
      operations.push({ method, path: filled, ...(body && { body }) });
      return { index, id: `$${index}.id` };
    },
    async run({ atomic = true } = {}) {
      const { results } = await dataOf(kept.POST("/batch", { body: { operations, atomic } }));
      const culprit = atomic && results.find(({ status }) => status >= 400 && status !== failedDependency);
      if (culprit) throw errorOf(culprit.body, culprit);
      return { of: (handle) => answerIn(results, handle) };
    },
  };
}

/** Other operations of an atomic group have this status when one fails. */
const failedDependency = 424;

const isAnswer = <Answer>(_body: unknown, _: Handle<Answer>, status: number): _body is Answer => status < 400;

function answerIn<Answer>(results: readonly Schemas["BatchResult"][], handle: Handle<Answer>): Answer {
  const { status, body } = results[handle.index] ?? { status: 0, body: null };
  if (isAnswer(body, handle, status)) return body;
  throw errorOf(body, { status });
}
