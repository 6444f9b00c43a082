import { partsOf } from "../parts.ts";
import { type AreHere, type ImportPlan, planImport } from "../plan.ts";
import { textsOf } from "../readers/texts.ts";
import type { ReadImport, ReadOrder, ReadQuestion, ReadReply, ReadResult } from "./read-apart.ts";

/** This process reads the files of one upload: see `read-apart.ts`. */
let answer: (here: ReadReply["here"]) => void = () => {};

const areHere: AreHere = (ask) => {
  const { promise, resolve } = Promise.withResolvers<ReadReply["here"]>();
  answer = resolve;
  process.send?.({ ask } satisfies ReadQuestion);
  return promise;
};

async function read({ files, today }: ReadOrder): Promise<void> {
  const texts = textsOf(files);
  const read = typeof texts === "string" ? texts : inParts(await planImport(areHere, texts, { today }));
  process.send?.({ read } satisfies ReadResult);
}

const mostNames = 8;

function inParts({ things, newCategories, ...plan }: ImportPlan): ReadImport {
  const { habits, todos } = things;
  const list = (some: readonly Readonly<{ name?: string; title?: string }>[]) => ({
    count: some.length,
    names: some.slice(0, mostNames).map(({ name = "", title = name }) => title),
  });
  return {
    ...{ ...plan, parts: [...partsOf(things)] },
    listed: { categories: list(newCategories), habits: list(habits), todos: list(todos) },
    completedTodos: todos.filter(({ is_completed }) => is_completed).length,
  };
}

process.on("message", (message: ReadOrder | ReadReply) => {
  if ("here" in message) answer(message.here);
  else void read(message);
});
process.on("disconnect", () => process.exit());

const watch = new Worker(new URL("./memory-watch.ts", import.meta.url));
watch.addEventListener("open", () => process.send?.("ready"));
