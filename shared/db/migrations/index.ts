import { Tables } from "./20261120-tables.ts";

/** All migrations in the order they run. A migration that has landed is never edited. */
export const migrations = [{ name: "20261120-tables", class: Tables }];
