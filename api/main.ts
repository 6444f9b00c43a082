import { runRole } from "../shared/role.ts";
import { startApi } from "./start.ts";

await runRole("api", startApi);
