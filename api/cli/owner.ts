import { loadCommonConfig } from "../../shared/process/config.ts";
import { normalizeEmail } from "../identity/accounts/accounts.ts";
import { createSignInLink } from "../identity/accounts/links.ts";
import { openRunningDatabase } from "./running.ts";

const noOwner =
  "There is no owner to sign in: the account was deleted, or the built-in identity provider never started here.";

/**
 * Prints a one-time link that signs in the owner of a running Kept, or the person with the given address. It needs
 * access to the database.
 */
async function main(): Promise<void> {
  const database = await openRunningDatabase(loadCommonConfig(), "owner");
  const [given] = process.argv.slice(2);
  const made = await createSignInLink(
    database.pool,
    given === undefined ? given : (normalizeEmail(given) ?? given),
  );
  await database.close();
  if (!made)
    throw new Error(given === undefined ? noOwner : `There is no account with the address ${given}.`);
  const { email, link } = made;
  console.log(`Open this within ten minutes to sign in as ${email}. It works once:\n\n  ${link}\n`);
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
