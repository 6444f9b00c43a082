import { type AreHere, planImport } from "../plan.ts";
import { textsOf } from "../texts.ts";
import type { ReadOrder, ReadQuestion, ReadReply, ReadResult } from "./messages.ts";

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
  const read = typeof texts === "string" ? texts : await planImport(areHere, texts, { today });
  process.send?.({ read } satisfies ReadResult);
}

process.on("message", (message: ReadOrder | ReadReply) => {
  if ("here" in message) answer(message.here);
  else void read(message);
});
process.on("disconnect", () => process.exit());

const watch = new Worker(new URL("./memory-watch.ts", import.meta.url));
watch.addEventListener("open", () => process.send?.("ready"));
