import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { owner, timestamptz } from "./columns.ts";

/** The bytes that an account kept when it was counted last. */
export const AccountBytesEntity = defineEntity({
  name: "AccountBytes",
  tableName: "account_bytes",
  properties: {
    user_id: owner(),
    counted_at: timestamptz(),
    things: p.bigint("number"),
    images: p.bigint("number"),
    log: p.bigint("number"),
  },
});

/** The parts of what an account keeps. */
export type ByteKind = "things" | "images" | "log";
export type AccountBytesRow = InferEntity<typeof AccountBytesEntity>;
