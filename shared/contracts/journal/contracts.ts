import { Type } from "typebox";
import { command } from "../kernel/contract.ts";
import { Nullable, WholeNumber } from "../kernel/fields.ts";

export const noteExport = command({
  name: "journal.export",
  scopes: [],
  summary: "Note in the account journal that a file is downloaded",
  input: Type.Object({ what: Type.String() }),
  output: Type.Null(),
  events: ({ what }) => [{ kind: "exported", details: { what } }],
});

export const sendMessage = command({
  name: "journal.send",
  scopes: [],
  summary: "Send a message about the account by the channel of reminders",
  input: Type.Object({ title: Type.String(), notes: Type.String(), url: Type.String() }),
  output: Type.Null(),
});

export const countUse = command({
  name: "journal.count-use",
  scopes: [],
  summary: "Count the reads of a token over REST, and note a network that it has not used before",
  input: Type.Object({
    token_id: Type.String(),
    client_name: Nullable(Type.String()),
    network: Type.String(),
    reads: WholeNumber(0, Number.MAX_SAFE_INTEGER),
  }),
  output: Type.Null(),
  events({ token_id, client_name, network, reads }) {
    const name = client_name ?? token_id;
    const used = {
      kind: "token_elsewhere",
      details: { name, network },
      subject: `${token_id} ${network}`,
    } as const;
    const read = { kind: "rest_reads", details: { name }, subject: token_id, times: reads } as const;
    return reads > 0 ? [used, read] : [used];
  },
});
