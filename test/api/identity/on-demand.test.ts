import { expect, test } from "bun:test";
import { serviceOnDemand } from "../../../api/identity/on-demand.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { useStack } from "../../harness.ts";

const { config } = await useStack();
const log = createLog("test", "silent");
const nowhere = "postgres://kept@127.0.0.1:9/kept";
const news = { id: "1", userId: "ada", name: "user.end-sessions", input: {} } as const;

test("news that finds no way to the service finds one with the next attempt", async () => {
  const addresses = [nowhere];
  const later = {
    ...config,
    get databaseUrl() {
      return addresses.pop() ?? config.databaseUrl;
    },
  };
  const service = serviceOnDemand(later, log);
  await expect(service.tell(news)).rejects.toThrow("cannot be used");
  await service.tell(news);
  await service.close();
});

test("a provider that stops while its first connection fails stops without an error", async () => {
  const service = serviceOnDemand({ ...config, databaseUrl: nowhere }, log);
  const told = service.tell(news).catch(String);
  await service.close();
  expect(await told).toContain("cannot be used");
});
