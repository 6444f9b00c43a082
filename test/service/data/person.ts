import { exportedJson } from "../../../api/doors/pages/export/page.ts";
import { partsOf } from "../../../api/doors/pages/import/parts.ts";
import { planImport } from "../../../api/doors/pages/import/plan.ts";
import type { TextFile } from "../../../api/doors/pages/import/readers/found.ts";
import {
  createQueryContext,
  openQueryDatabase,
  readDaySettings,
} from "../../../api/queries/engine/context.ts";
import { readWhatIsHere } from "../../../api/queries/import/read.ts";
import { readWork } from "../../../api/queries/user/read.ts";
import type { CommandName } from "../../../shared/contracts/catalogue.ts";
import { type JsonBody, useStack } from "../../harness.ts";
import { eventually } from "../../support/reminder/stack.ts";

const stack = await useStack();
const door = await stack.page();
export const { database } = door;
const db = openQueryDatabase(database);

/** A new person, as the account pages serve them. */
export async function person() {
  const userId = crypto.randomUUID();
  const token = await stack.issuer.token({ sub: userId });
  const { defaultTimeZone, baseUrl } = stack.config;
  const query = () => createQueryContext({ db, userId, now: Date.now(), defaultTimeZone, baseUrl });
  const rest = (method: string, path: string, body?: object) =>
    stack.rest(method, path, { token, ...(body && { body }) });
  const send = (name: CommandName, input: object): Promise<JsonBody> => door.send(userId, name, input);

  /** The things of the file; no import brings an account's journal. */
  async function exported(): Promise<JsonBody> {
    const parts: string[] = [];
    for await (const part of exportedJson(query())) parts.push(part);
    const { journal: _, ...things } = JSON.parse(parts.join(""));
    return things;
  }

  async function plan(...files: TextFile[]) {
    const { today } = await readDaySettings(query());
    return planImport((things) => readWhatIsHere(query(), things), files, { today });
  }

  /** Sends a file in its parts, as somebody planned it; unset: this person. */
  async function stage(files: readonly TextFile[], planned = plan(...files)) {
    const import_id = crypto.randomUUID();
    const parts = [...partsOf((await planned).things)];
    // While another import is under way, a part waits.
    for (const [part, things] of parts.entries())
      await eventually(async () => (await send("import.stage", { import_id, part, ...things })) === null);
    return { import_id, parts: parts.length };
  }

  /** Waits until the import has ended. */
  async function apply(staged: object): Promise<JsonBody> {
    const { work_id, ...body } = await send("import.apply", staged);
    return work_id ? outcomeOf(work_id) : body;
  }

  async function outcomeOf(work_id: string): Promise<JsonBody> {
    const outcome = await eventually(async () => (await readWork(query(), work_id))?.outcome ?? undefined);
    return JSON.parse(outcome).body;
  }

  const bring = async (...files: TextFile[]) => apply(await stage(files));

  /** The actions of the person, newest first. */
  async function log(): Promise<JsonBody[]> {
    const all = "select called_at, request_id, tool from action_log where user_id = $1";
    const { rows } = await database.pool.query(`${all} order by called_at desc, request_id desc`, [userId]);
    return rows;
  }

  /** The keys of the actions, by which they are undone. */
  const keys = async () => (await log()).map(({ called_at, request_id }) => ({ called_at, request_id }));

  /** Takes back the newest action. */
  async function undo(): Promise<JsonBody> {
    return (await send("action.undo", { actions: (await keys()).slice(0, 1) })).ends[0];
  }
  return { userId, query, rest, send, exported, plan, stage, apply, outcomeOf, bring, log, keys, undo };
}

export const asFile = (value: unknown): TextFile => ({ name: "kept.json", text: JSON.stringify(value) });

/** A file in the format of Kept's export. */
export const kept = (lists: object): TextFile => asFile({ format: "kept-export", version: 1, ...lists });

export const daily = { type: "good", frequency: "daily" };

/** Drops values that another account gives anew: ids, which become indexes of the lists. */
export function anonymous({ settings: _, exported_at: __, ...file }: JsonBody) {
  const places = new Map<string, number>();
  for (const kind of ["categories", "habits", "todos"])
    for (const [place, { id }] of file[kind].entries()) places.set(`${kind} ${id}`, place);
  const kinds = { category_id: "categories", habit_id: "habits", next_todo_id: "todos" };
  const kindOfField: Record<string, string> = kinds;
  return JSON.parse(JSON.stringify(file), function (this: object, field, value) {
    const kind = kindOfField[field];
    if (field === "id") return undefined;
    return kind && value !== null ? (places.get(`${kind} ${value}`) ?? "nothing") : value;
  });
}
