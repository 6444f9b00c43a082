import { loadCommonConfig } from "../../../shared/process/config.ts";

/** The names of all settings: those that a process reads from its environment. */
export const settingNames: ReadonlySet<string> = namesRead();

function namesRead(): Set<string> {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get(_, name) {
        names.add(String(name));
        return undefined;
      },
    },
  );
  loadCommonConfig(environment);
  return names;
}
