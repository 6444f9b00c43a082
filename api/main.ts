import { runRole } from "../shared/process/role.ts";
import { startApi } from "./start.ts";

await runRole("api", startApi);
