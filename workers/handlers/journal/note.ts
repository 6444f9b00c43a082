import type { Handler } from "../handler.ts";

/** The journal's row follows from the contract. */
export const journalNote: Handler<"journal.export" | "journal.count-use"> = { run: () => null };
