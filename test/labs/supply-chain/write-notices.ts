import { join } from "node:path";
import { notices } from "./notices.ts";
import { root } from "./packages.ts";

/** `npm run lab -- notices` */
await Bun.write(join(root, "docs/third-party.md"), notices());
