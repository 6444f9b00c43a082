import { BlockList } from "node:net";
import { distance } from "fastest-levenshtein";
import { type RoleUrls, roleSettings } from "./database-roles.ts";

export type Environment = Record<string, string | undefined>;

export function text(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

export function integer(env: Environment, name: string, fallback: number, max: number): number {
  const value = text(env, name);
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > max)
    throw new Error(`${name} must be a whole number up to ${max}, not "${value}".`);
  return number;
}

/** A number from 0 to 1; unset: 1. */
export function share(env: Environment, name: string): number {
  const value = text(env, name) ?? "1";
  const number = Number(value);
  if (!(number >= 0 && number <= 1)) throw new Error(`${name} must be a number from 0 to 1, not "${value}".`);
  return number;
}

export function oneOf<const Choice extends string>(
  env: Environment,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const value = text(env, name) ?? choices[0];
  const choice = choices.find((candidate) => candidate === value);
  if (!choice) throw new Error(`${name} must be one of ${choices.join(", ")}, not "${value}".`);
  return choice;
}

export function httpUrl(env: Environment, name: string): string | undefined {
  const value = text(env, name);
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !/^https?:/.test(value))
    throw new Error(`${name} must be an http(s) address, not "${value}".`);
  return value.replace(/\/+$/, "");
}

/** The address of a whole host, because the service has all paths below it. */
export function hostUrl(env: Environment, name: string): string | undefined {
  const value = httpUrl(env, name);
  const { pathname, search, hash } = new URL(value ?? "http://unset");
  if (pathname + search + hash !== "/")
    throw new Error(
      `${name} must be an address without a path, such as https://kept.example.org, not "${value}".`,
    );
  return value;
}

/** An address of a server with one of the given schemes. Its password is not shown. */
export function serverUrl(env: Environment, name: string, ...schemes: readonly string[]): string | undefined {
  const value = text(env, name);
  const url = value === undefined ? null : URL.parse(value);
  if (value !== undefined && !(url && schemes.includes(url.protocol.slice(0, -1))))
    throw new Error(`${name} must be an address that begins with ${schemes.join(":// or ")}://.`);
  return value;
}

export const postgresUrl = (env: Environment, name: string): string | undefined =>
  serverUrl(env, name, "postgres", "postgresql");

export const roleUrls = (env: Environment): RoleUrls => ({
  door: postgresUrl(env, roleSettings.door),
  worker: postgresUrl(env, roleSettings.worker),
  identity: postgresUrl(env, roleSettings.identity),
});

/** The shorter a name, the fewer letters tell it from another program's variable. */
const mostWrongLetters = ({ length }: string): number => (length < 6 ? 0 : length < 8 ? 1 : 2);

/** @throws Error naming a variable that is nearly one of the settings, and the setting */
export function refuseMisspelt(env: Environment, settings: ReadonlySet<string>): void {
  for (const name of Object.keys(env).filter((name) => !settings.has(name))) {
    const meant = [...settings].find((setting) => distance(name, setting) <= mostWrongLetters(name));
    if (meant) throw new Error(`There is no setting ${name}. Did you mean ${meant}?`);
  }
}

/** Remembers each variable that is read. */
export function recorded(env: Environment): Readonly<{ env: Environment; asked: ReadonlySet<string> }> {
  const asked = new Set<string>();
  const get = (_: Environment, name: string | symbol) => {
    asked.add(String(name));
    return env[String(name)];
  };
  return { env: new Proxy<Environment>({}, { get }), asked };
}

export function contact(env: Environment, name: string): string | undefined {
  const value = text(env, name);
  if (value !== undefined && (!/^(mailto|https|tel):/.test(value) || !URL.canParse(value)))
    throw new Error(`${name} must be an https, mailto or tel address, not "${value}".`);
  return value;
}

export function timeZone(env: Environment, name: string): string {
  const value = text(env, name) ?? "UTC";
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    throw new Error(`${name} must be an IANA time zone such as Europe/Berlin, not "${value}".`);
  }
}

export function networks(env: Environment, name: string, fallback: string): BlockList {
  const list = new BlockList();
  for (const network of (text(env, name) ?? fallback).split(",").map((part) => part.trim())) {
    const [address = "", prefix] = network.split("/");
    const family = address.includes(":") ? "ipv6" : "ipv4";
    try {
      list.addSubnet(address, Number(prefix ?? (family === "ipv6" ? 128 : 32)), family);
    } catch {
      throw new Error(`${name} must be networks such as 10.0.0.0/8 or addresses, not "${network}".`);
    }
  }
  return list;
}
