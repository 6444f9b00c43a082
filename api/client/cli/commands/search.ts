import { keptCommand } from "../command-line.ts";
import { thingsWith } from "../finding.ts";
import { lineOf } from "../things.ts";

export const searchCommand = keptCommand({
  name: "search",
  operands: "WORDS",
  summary: "lists todos, also completed ones, and habits with these words",
  options: {},
  async run({ client, print }, words) {
    const q = words.join(" ");
    let isEmpty = true;
    for await (const thing of thingsWith(client, q, "all")) {
      isEmpty = false;
      print(lineOf(thing), thing);
    }
    if (isEmpty) throw new Error(`Nothing has “${q}” in it.`);
  },
});
