import { archive, backup, disk } from "./copies.ts";
import type { Check } from "./diagnosis.ts";
import type { Patient } from "./patient.ts";
import { failingChannels, fullAccounts, lateReminders } from "./people.ts";
import { clocks, door, mail, postgres, redis, roles, schema, workers } from "./servers.ts";

/** All checks, for `npm run admin -- doctor` and for the metric `kept_check_state`. */
export const checksOf = (patient: Patient): readonly Check[] => [
  { name: "PostgreSQL", look: () => postgres(patient) },
  { name: "schema", needs: "PostgreSQL", look: () => schema(patient) },
  { name: "roles", needs: "PostgreSQL", look: () => roles(patient) },
  { name: "Redis", look: () => redis(patient) },
  { name: "workers", needs: "Redis", look: () => workers(patient) },
  { name: "door", isCostly: true, look: () => door(patient) },
  { name: "clocks", needs: "PostgreSQL", look: () => clocks(patient) },
  { name: "disk", look: () => disk(patient) },
  { name: "backup", look: () => backup(patient) },
  { name: "archive", needs: "PostgreSQL", look: () => archive(patient) },
  { name: "mail", look: () => mail(patient) },
  { name: "channels", needs: "PostgreSQL", look: () => failingChannels(patient) },
  { name: "reminders", needs: "PostgreSQL", look: () => lateReminders(patient) },
  { name: "accounts", needs: "PostgreSQL", isCostly: true, look: () => fullAccounts(patient) },
];
