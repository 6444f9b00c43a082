import type { CallToolResult, Result } from "@modelcontextprotocol/server";
import type { PreviewedChange } from "../../../shared/contracts/kernel/preview.ts";
import { lean, quoteStored } from "../../../shared/contracts/kernel/tool-result.ts";

/** The result of a preview: the answer that the call would get, and what it would change. */
export function previewed(answer: Result, all: readonly PreviewedChange[]): CallToolResult {
  const { content = [], structuredContent = {} } = answer as Partial<CallToolResult>;
  const changes = all.map(leanChange);
  const texts = content.flatMap((part) => (part.type === "text" ? part.text : []));
  const text = [
    "A preview: nothing was changed. Without preview this call would answer:",
    ...texts,
    changes.length === 0 ? "It would change nothing." : "It would change:",
    ...changes.map(lineOf),
  ].join("\n");
  const facts = { ...Object(structuredContent), preview: true, changes };
  return { content: [{ type: "text", text }], structuredContent: facts };
}

/** A change without facts that agents assume for absent ones. Of a changed thing each field is told. */
function leanChange(change: PreviewedChange): PreviewedChange {
  const { before, after } = change;
  if (before && after) return change;
  return { ...change, before: before && lean(before), after: after && lean(after) };
}

function lineOf({ kind, id, name, before, after }: PreviewedChange): string {
  if (!before) return `- new ${kind} ${quoteStored(name)}: ${JSON.stringify(after)}`;
  const thing = `${kind} #${id} ${quoteStored(name)}`;
  if (!after) return `- ${thing} would be deleted: ${JSON.stringify(before)}`;
  const fields = Object.keys(after).map(
    (field) => `${field} ${JSON.stringify(before[field])} -> ${JSON.stringify(after[field])}`,
  );
  return `- ${thing}: ${fields.join(", ")}`;
}
