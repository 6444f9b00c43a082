import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { owner, timestamptz } from "./columns.ts";

/**
 * Bytes that an account keeps, by the time of their end. `things` have none; their rows expire when the account is
 * due to be measured. `growth` is what was stored in an hour beyond its requests.
 */
export const ByteLedgerEntity = defineEntity({
  name: "ByteLedgerEntry",
  tableName: "byte_ledger",
  properties: {
    user_id: owner(),
    kind: p.text().$type<ByteKind>().primary(),
    expires_at: timestamptz().primary(),
    bytes: p.bigint("number"),
  },
});

export type ByteKind = "things" | "images" | "log" | "replies" | "growth";
export type ByteLedgerRow = InferEntity<typeof ByteLedgerEntity>;
