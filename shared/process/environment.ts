import { BlockList } from "node:net";

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
