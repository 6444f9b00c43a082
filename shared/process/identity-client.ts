import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";

/** The credentials of the service itself at the built-in provider, for introspection and the account pages. */
export type IdentityClient = Readonly<{ id: string; secret: string }>;

const fileName = "identity-client.json";

/**
 * Returns the credentials that the front doors and the built-in provider share: AUTH_CLIENT_ID and AUTH_CLIENT_SECRET
 * when set, else the file identity-client.json in DATA_DIR (mode 0600). The first process makes the file, which gets
 * its name only when it is complete, so that the others never read half of it.
 */
export async function identityClient(
  config: Pick<Config, "authClient" | "dataDir">,
): Promise<IdentityClient> {
  if (config.authClient) return config.authClient;
  const path = join(config.dataDir, fileName);
  return (await read(path)) ?? (await create(config.dataDir, path));
}

async function create(dataDir: string, path: string): Promise<IdentityClient> {
  await mkdir(dataDir, { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  const client = { id: "kept", secret: randomBytes(32).toString("base64url") };
  await writeFile(draft, JSON.stringify(client), { mode: 0o600 });
  try {
    await link(draft, path);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  } finally {
    await rm(draft);
  }
  const stored = await read(path);
  if (!stored) throw new Error(`${path} was removed while it was being made.`);
  return stored;
}

async function read(path: string): Promise<IdentityClient | undefined> {
  try {
    const { id, secret } = JSON.parse(await readFile(path, "utf8"));
    if (typeof id === "string" && typeof secret === "string") return { id, secret };
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
  throw new Error(`${path} is damaged: remove it and restart, and a new one is made.`);
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
