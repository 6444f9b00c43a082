import type { QueuedCommand } from "../../../shared/queue/batch.ts";
import { handlers } from "../../handlers/index.ts";
import type { UserRowRequest } from "../../unit-of-work/row-request.ts";

/** The row that tells whether a command ran before; nothing for one that may run again. */
export const storedReplyRows = ({
  name,
  id,
  userId,
}: Pick<QueuedCommand, "name" | "id" | "userId">): UserRowRequest[] =>
  handlers[name].idempotent ? [] : [{ table: "inbox", key: id, lock: "none", userId }];
