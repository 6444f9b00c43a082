import "./low-priority.ts";
import "./quiet-packages.ts";
import { runRole } from "../../shared/process/role.ts";
import { serviceOnDemand } from "./on-demand.ts";
import { startIdentity } from "./start.ts";

/** Accounts belong to the provider; what the service stores about a person is changed by the workers only. */
await runRole("identity", async ({ config, log }) => {
  const service = serviceOnDemand(config, log);
  const role = await startIdentity({ config, log }, service.tell);
  return {
    ...role,
    async stop() {
      await role.stop();
      await service.close();
    },
  };
});
