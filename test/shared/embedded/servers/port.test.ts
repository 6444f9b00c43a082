import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { demandFree, freePort, onFreePort } from "../../../../shared/embedded/servers/port.ts";

test("a server whose port was taken before it listened starts on another one", async () => {
  const tried: number[] = [];
  const thief = createServer();
  const used = await onFreePort(async (port) => {
    tried.push(port);
    if (tried.length > 1) return port;
    await new Promise<void>((resolve) => thief.listen({ port, host: "127.0.0.1" }, resolve));
    throw new Error("The address is in use.");
  });
  thief.close();
  expect(tried).toHaveLength(2);
  expect(used).toBe(tried[1] ?? 0);
});

test("a server that cannot start for another reason is not tried again", async () => {
  let tries = 0;
  const start = async () => {
    tries++;
    throw new Error("The cluster is damaged.");
  };
  await expect(onFreePort(start)).rejects.toThrow("damaged");
  expect(tries).toBe(1);
});

test("a start at an address of no machine here is refused in a sentence with both settings", async () => {
  const address = { setting: "PORT", port: await freePort() };
  const refused = demandFree({ ...address, hosts: ["192.0.2.1"] });
  await expect(refused).rejects.toThrow(
    /^Kept cannot listen at 192\.0\.2\.1:\d+ \(.+\): set HOST to an address of this machine, or PORT to another port\.$/,
  );
  await demandFree({ ...address, hosts: ["127.0.0.1", "192.0.2.1"] });
});
