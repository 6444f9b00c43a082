import { afterAll } from "bun:test";
import { RedisClient } from "bun";

/** Makes a user of Redis with these rights for the time of a file. @returns its address */
export async function limitedUser(redisUrl: string, rights: string): Promise<string> {
  const name = `limited-${crypto.randomUUID()}`;
  const admin = new RedisClient(redisUrl);
  await admin.send("ACL", ["SETUSER", name, "on", ">pw", "resetchannels", ...rights.split(" ")]);
  afterAll(async () => {
    await admin.send("ACL", ["DELUSER", name]);
    admin.close();
  });
  return redisUrl.replace(/\/\/[^@]*@/, `//${name}:pw@`);
}
