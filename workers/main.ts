import { runRole } from "../shared/process/role.ts";
import { startWorkerProcess } from "./start.ts";

await runRole("workers", startWorkerProcess);
