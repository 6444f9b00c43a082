import { runRole } from "../../shared/role.ts";
import { startIdentity } from "./start.ts";

await runRole("identity", (context) => startIdentity(context, async () => {}));
