import { emptyAccount } from "../../upkeep/deleted-users.ts";
import type { Handler } from "../handler.ts";

/** Deletes an account with all its rows, the action log included. Repeating it changes nothing. */
export const userDelete: Handler<"user.delete"> = {
  idempotent: true,
  run: () => null,
  followUp: emptyAccount,
};
