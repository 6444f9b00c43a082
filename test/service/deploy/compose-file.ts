import { join } from "node:path";
import { YAML } from "bun";
import { type Config, loadCommonConfig, loadConfig } from "../../../shared/process/config.ts";

export const root = join(import.meta.dir, "../../..");

export type Service = Readonly<{
  image: string;
  build?: string;
  command?: string[];
  env_file?: { path: string; required: boolean }[];
  environment: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  logging?: { options: Record<string, string> };
  deploy?: { resources: { limits: Record<string, string> } };
  healthcheck?: { test: string[] };
}>;

export const composeText = await Bun.file(join(root, "compose.yaml")).text();
export const { services } = YAML.parse(composeText) as { services: Record<string, Service> };

export function serviceOf(name: string): Service {
  const service = services[name];
  if (!service) throw new Error(`compose.yaml has no service ${name}.`);
  return service;
}

/** The services that run Kept's image. */
export const roles = Object.values(services).filter(({ build }) => build !== undefined);

/** Fills in `${NAME:-other}` and `$$` as Compose does, from the inside out. */
export function fillIn(text: string, given: Record<string, string>): string {
  const filled = text.replace(
    /\$\{(\w+)(?::[-?]([^${}]*))?\}/g,
    (_, name, other = "") => given[name] || other,
  );
  return filled === text ? text.replaceAll("$$", "$") : fillIn(filled, given);
}

/** The settings in a role's container, for these lines in .env. */
export function configOf(service: Service, given: Record<string, string>): Config {
  const own = Object.entries(service.environment).map(([name, text]) => [name, fillIn(text, given)]);
  return loadConfig({ ...(service.env_file && given), ...Object.fromEntries(own) });
}

/** The names in .env.example, also of the lines that are commented out. */
export const exampleNames = [
  ...(await Bun.file(join(root, ".env.example")).text()).matchAll(/^(?:# )?([A-Z_]+)=/gm),
].map(([, name = ""]) => name);

/** The names of all settings: those that a process reads from its environment. */
export const settingNames: ReadonlySet<string> = namesRead();

function namesRead(): Set<string> {
  const names = new Set<string>();
  const get = (_: object, name: string | symbol) => void names.add(String(name));
  loadCommonConfig(new Proxy<Record<string, string | undefined>>({}, { get }));
  return names;
}
