import { createHmac } from "node:crypto";

/** The parts of the service that have a role each in the database. Migrations run as the owner of the tables. */
export const databaseRoles = ["door", "worker", "identity"] as const;
export type DatabaseRole = (typeof databaseRoles)[number];

export type RoleUrls = Readonly<Partial<Record<DatabaseRole, string | undefined>>>;

/** Names the settings of the roles' addresses, from which `migrate` gives them their passwords. */
export const roleSettings = {
  door: "DOOR_DATABASE_URL",
  worker: "WORKER_DATABASE_URL",
  identity: "IDENTITY_DATABASE_URL",
} as const satisfies Readonly<Record<DatabaseRole, string>>;

/** The address that a part of the service connects to. */
export const databaseUrlOf = (
  { databaseUrl, roleUrls }: Readonly<{ databaseUrl: string; roleUrls: RoleUrls }>,
  role: DatabaseRole,
): string => roleUrls[role] ?? databaseUrl;

/** Names the role of a process of the installation whose tables belong to `owner`, for example kept_door. */
export const roleName = (owner: string, role: DatabaseRole): string => `${owner}_${role}`;

/**
 * The address for each role of a database whose owner's address is known. Passwords are derived from the owner's, so
 * that there is one secret to keep, and none of them reveals it.
 */
export function roleUrlsOf(ownerUrl: string): Readonly<Record<DatabaseRole, string>> {
  const { username, password } = new URL(ownerUrl);
  const urlOf = (role: DatabaseRole) =>
    Object.assign(new URL(ownerUrl), {
      username: roleName(username, role),
      password: createHmac("sha256", password).update(`database role ${role}`).digest("base64url"),
    }).href;
  return { door: urlOf("door"), worker: urlOf("worker"), identity: urlOf("identity") };
}
