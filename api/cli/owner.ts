import { normalizeEmail } from "../identity/accounts/accounts.ts";
import { createSignInLink } from "../identity/accounts/links.ts";
import { runCommand, withRunningDatabase } from "./running.ts";

const noOwner =
  "There is no owner to sign in: the account was deleted, or the built-in identity provider never started here.";

/**
 * Prints a one-time link that signs in the owner of a running Kept, or the person with the given address. It needs
 * access to the database.
 */
await runCommand(async () => {
  const [given] = process.argv.slice(2);
  const email = given === undefined ? given : (normalizeEmail(given) ?? given);
  const made = await withRunningDatabase("owner", ({ pool }) => createSignInLink(pool, email));
  if (!made)
    throw new Error(given === undefined ? noOwner : `There is no account with the address ${given}.`);
  console.log(`Open this within ten minutes to sign in as ${made.email}. It works once:\n\n  ${made.link}\n`);
});
