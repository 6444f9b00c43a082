import type { KeptClient } from "../../index.ts";
import { findCategory } from "../categories.ts";
import { changeThing, type EditedFields } from "../changing.ts";
import { keptCommand } from "../command-line.ts";
import { findThing } from "../finding.ts";

/** EditedFields whose values are words, even if they look like a number. */
const texts = ["title", "name", "description", "context", "unit", "category"];

export const editCommand = keptCommand({
  name: "edit",
  operands: "WHAT FIELD=VALUE...",
  summary:
    "changes fields of a todo or a habit, as PATCH of the REST interface names them; category=NAME chooses a category, and FIELD= clears",
  options: {},
  async run(commandLine, words) {
    const { client } = commandLine;
    const first = words.findIndex((word) => assignment.test(word));
    if (first < 1) throw new Error("Say what to edit, then its fields: kept edit t7 due_date=2026-12-01");
    const found = await findThing(client, words.slice(0, first).join(" "));
    await changeThing(commandLine, found, await fieldsOf(client, words.slice(first)));
  },
});

const assignment = /^(\w+)=(.*)$/s;

async function fieldsOf(client: KeptClient, words: readonly string[]): Promise<EditedFields> {
  const fields: Record<string, unknown> = {};
  for (const word of words) {
    const [, name = "", text = ""] = assignment.exec(word) ?? [];
    if (name === "") throw new Error(`“${word}” is no FIELD=VALUE; put a value of many words in quotes.`);
    if (name === "category") fields.category_id = await categoryNamed(client, text);
    else fields[name] = readValue(name, text);
  }
  return fields;
}

async function categoryNamed(client: KeptClient, name: string): Promise<number | null> {
  if (name === "") return null;
  const found = await findCategory(client, name);
  if (!found) throw new Error(`There is no category “${name}”.`);
  return found.id;
}

/** Numbers, true, false and objects are read as JSON; everything else is text. */
function readValue(name: string, text: string): unknown {
  if (text === "") return null;
  if (texts.includes(name)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
