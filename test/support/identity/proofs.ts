import type { TestIdentity } from "./support.ts";

/** Makes everybody's last proof of who they are eleven minutes older. */
export const ageProofs = ({ sql }: Pick<TestIdentity, "sql">) =>
  sql(`update identity.artifacts
    set payload = jsonb_set(payload::jsonb, '{loginTs}', to_jsonb((payload->>'loginTs')::int - 660))::json
    where kind = 'Session' and payload->>'loginTs' is not null`);
