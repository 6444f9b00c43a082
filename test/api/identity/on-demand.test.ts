import { expect, test } from "bun:test";
import { serviceOnDemand } from "../../../api/identity/on-demand.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { startStack } from "../../harness.ts";

const { config } = await startStack();

test("news that finds no way to the service finds one with the next attempt", async () => {
  const addresses = ["postgres://kept@127.0.0.1:9/kept"];
  const later = {
    ...config,
    get databaseUrl() {
      return addresses.pop() ?? config.databaseUrl;
    },
  };
  const service = serviceOnDemand(later, createLog("test", "silent"));
  const news = { id: "1", userId: "ada", name: "user.end-sessions", input: {} } as const;
  await expect(service.tell(news)).rejects.toThrow("cannot be used");
  await service.tell(news);
  await service.close();
});
