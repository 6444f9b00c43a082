import { contracts } from "../../../shared/contracts/catalogue.ts";
import { resourceRead } from "../../../shared/contracts/mcp-resource.ts";
import type { Tool } from "../../../shared/contracts/tool.ts";
import type { Names, Phrase, SentArguments, Sentence } from "../../../shared/contracts/tool-sentence.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import { sayFullDate } from "../visit/dates.ts";
import { quote } from "./quote.ts";
import { sayRead } from "./resource-reads.ts";

type DescribedCall = Readonly<{ tool: string; args: SentArguments; ok: boolean; names: Names }>;

/**
 * What a tool call did, or was refused to do, as a sentence about the user's own things. Whatever the tool
 * and its arguments are, they appear in the sentence only between quotation marks.
 */
export function describeCall({ tool, args, ok, names }: DescribedCall): Html {
  try {
    const { done, tried, object } = sentences.get(tool)?.(args, names) ?? unknownTool(tool);
    return html`${ok ? done : `Tried to ${tried}`} ${object.map(phrase)}`;
  } catch {
    // One row that nobody thought of must not take the page with it.
    return html`Made a call that cannot be described`;
  }
}

/** Calls over the rate limit share a row, which knows only the first of them. */
export const describeRefusals = (calls: number): Html =>
  html`${calls} ${calls === 1 ? "call" : "calls"} refused: over the limit`;

/** By tool name. This is a map, because an object would answer to names such as `constructor`, too. */
const sentences: ReadonlyMap<string, Tool["sentence"]> = new Map([
  ...contracts.flatMap(({ mcp }) => (mcp ? [[mcp.name, mcp.sentence] as const] : [])),
  [resourceRead, sayRead],
]);

const unknownTool = (tool: string): Sentence => ({
  done: "Called",
  tried: "call",
  object: ["a tool that Kept does not have, ", { quoted: tool }],
});

function phrase(part: Phrase): Html | string {
  if (typeof part === "string") return part;
  return "date" in part ? sayFullDate(part.date) : quote(part.quoted);
}
