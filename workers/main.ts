import { runRole } from "../shared/role.ts";
import { startWorkers } from "./start.ts";

await runRole("workers", startWorkers);
