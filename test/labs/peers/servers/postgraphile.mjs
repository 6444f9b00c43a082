import { createServer } from "node:http";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { userOf } from "./user.mjs";

/** PostGraphile with its own preset: row-level security decides by the user of the token. */
const preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({
      connectionString: process.env.DATABASE_URL,
      schemas: ["public"],
      poolConfig: { max: 20 },
    }),
  ],
  // Every column can be filtered and ordered.
  disablePlugins: ["PgIndexBehaviorsPlugin"],
  grafserv: { graphiql: false, watch: false },
  grafast: {
    explain: false,
    async context({ node }) {
      const user = await userOf(node?.req.headers.authorization);
      return { pgSettings: { role: "peer_visitor", "jwt.claims.user_id": user } };
    },
  },
};

const server = createServer();
const pgl = postgraphile(preset);
await pgl.getSchema();
await pgl.createServ(grafserv).addTo(server);
server.listen(0, "127.0.0.1", () => process.send?.(server.address().port));
process.on("disconnect", () => process.exit());
