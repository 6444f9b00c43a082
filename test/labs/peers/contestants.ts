import type { Contestant } from "./contestant.ts";
import { keptRest, tools } from "./kept.ts";
import { parse } from "./parse.ts";
import { postgraphile } from "./postgraphile.ts";

/** All servers, in the order of the report. */
export const contestants: readonly Contestant[] = [
  keptRest,
  postgraphile,
  parse,
  { name: "Kept, MCP", lacks: "", ...tools },
  {
    name: "MCP SDK, plain",
    server: { file: "mcp.mjs", tables: "plain" },
    lacks:
      "no action log or undo, no idempotency keys, no rate limits, no scopes, no streaks or days by zone",
    ...tools,
  },
];
