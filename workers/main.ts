import { runRole } from "../shared/process/role.ts";
import { startWorkers } from "./start.ts";

await runRole("workers", startWorkers);
