import {
  argument,
  dueAfter,
  type Phrase,
  quotedAfter,
  type SentArguments,
  type Sentence,
  said,
} from "../kernel/tool-sentence.ts";
import { clearedNames } from "./schema.ts";

/** What a call of create-todo did with one todo, or with several, of which the first are named. */
export function createdSentence(args: SentArguments): Sentence {
  const todos = argument(args, "todos");
  if (todos !== undefined) return ofSeveral("Created", "create", todos, titlesOf(todos));
  return said(
    "Created",
    "create",
    "the todo ",
    { quoted: argument(args, "title") },
    ...dueAfter(", due ", args),
    ...quotedAfter(", repeating by ", args, "recurrence"),
    ...quotedAfter(", reminder at ", args, "remind_at"),
  );
}

/** What a call of update-todo did with one todo, which is given, or with several. */
export function changedSentence(args: SentArguments, todo: readonly Phrase[]): Sentence {
  const ids = argument(args, "todo_ids");
  if (ids !== undefined) return ofSeveral("Changed", "change", ids, changesIn(args));
  return said("Changed", "change", ...todo, ...changesIn(args));
}

/**
 * What was sent may be anything, and of long arguments the log has only the beginning, as text. Some of several things
 * may have been refused, which a call's arguments do not show.
 */
function ofSeveral(done: string, tried: string, sent: unknown, details: readonly Phrase[]): Sentence {
  const count = Array.isArray(sent) ? sent.length : undefined;
  if (count === 1) return said(done, tried, "1 todo", ...details);
  return said(`${done}, as far as possible,`, tried, `${count ?? "several"} todos`, ...details);
}

const mostNamed = 3;

function titlesOf(todos: unknown): readonly Phrase[] {
  if (!Array.isArray(todos)) return [": ", { quoted: todos }];
  const named = todos.slice(0, mostNamed).flatMap((todo, index): Phrase[] => {
    const title = typeof todo === "object" && todo !== null && "title" in todo ? todo.title : undefined;
    return [index === 0 ? ": " : ", ", { quoted: title }];
  });
  const more = todos.length - mostNamed;
  return [...named, more > 0 ? ` and ${more} more` : ""];
}

/** The changes that a call of update-todo asked for; nothing when it named none. */
function changesIn(args: SentArguments): readonly Phrase[] {
  const clear = argument(args, "clear");
  const cleared = Array.isArray(clear) ? clear.slice(0, clearedNames.length) : [];
  const changes = [
    quotedAfter("title ", args, "title"),
    quotedAfter("description ", args, "description"),
    dueAfter("due ", args),
    quotedAfter("time of day ", args, "time_of_day"),
    quotedAfter("minutes ", args, "estimated_minutes"),
    quotedAfter("context ", args, "context"),
    quotedAfter("category ", args, "category"),
    quotedAfter("repeating by ", args, "recurrence"),
    quotedAfter("reminder at ", args, "remind_at"),
    ...cleared.map((name): readonly Phrase[] => ["no ", fieldName(name)]),
  ].filter((change) => change.length > 0);
  return changes.flatMap((change, index) => [index === 0 ? ": " : ", ", ...change]);
}

function fieldName(name: unknown): Phrase {
  if (name === "remind_at") return "reminder";
  return clearedNames.find((known) => known === name)?.replaceAll("_", " ") ?? { quoted: name };
}
