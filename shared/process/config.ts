import { BlockList } from "node:net";
import { distance } from "fastest-levenshtein";
import { roleSettings } from "./database-roles.ts";

/** Settings of one process, read once from the environment. docs/settings.md lists every variable and default. */
export type Config = CommonConfig & Readonly<{ databaseUrl: string; redisUrl: string }>;

/** Settings with optional server addresses, because `npm start` brings servers of its own. */
export type CommonConfig = Readonly<
  ReturnType<typeof readServers> & ReturnType<typeof readAccess> & ReturnType<typeof readBounds>
>;

/** Names of the OpenTelemetry specification; with `parentbased` the caller's own decision comes first. */
const tracesSamplers = [
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
  "always_on",
  "always_off",
  "traceidratio",
] as const;

/**
 * Reads the settings of a role, which needs both servers.
 * @throws Error naming the variable when a value is missing or cannot be used.
 */
export function loadConfig(env: Environment = Bun.env): Config {
  const { databaseUrl, redisUrl, ...common } = loadCommonConfig(env);
  if (databaseUrl === undefined || redisUrl === undefined)
    throw new Error("DATABASE_URL and REDIS_URL must be set; npm start brings servers of its own.");
  return { ...common, databaseUrl, redisUrl };
}

/** @throws Error naming the variable when a value cannot be used, or when its name is nearly that of a setting */
export function loadCommonConfig(given: Environment = Bun.env): CommonConfig {
  const { env, asked } = recorded(given);
  const config = { ...readServers(env), ...readAccess(env), ...readBounds(env) };
  refuseMisspelt(given, asked);
  return config;
}

const readServers = (env: Environment) => ({
  dataDir: text(env, "DATA_DIR") ?? "./data",
  /** The folder for backups of the embedded database by `npm run backup`; unset: a folder in DATA_DIR. */
  backupDir: text(env, "BACKUP_DIR"),
  databaseUrl: postgresUrl(env, "DATABASE_URL"),
  /** Addresses by role. A part of the service without one uses databaseUrl. */
  roleUrls: {
    door: postgresUrl(env, roleSettings.door),
    worker: postgresUrl(env, roleSettings.worker),
    identity: postgresUrl(env, roleSettings.identity),
  },
  /** Names statements, so that PostgreSQL parses each once. Some poolers cannot follow names. */
  databasePrepare: oneOf(env, "DATABASE_PREPARE", ["yes", "no"]) === "yes",
  /** The most connections of one process to PostgreSQL; unset: what its role can use. */
  databaseConnections: databaseConnections(env),
  /** A standby for reads of front doors, which each commit waits for; unset: they read from the database itself. */
  readDatabaseUrl: postgresUrl(env, "READ_DATABASE_URL"),
  redisUrl: text(env, "REDIS_URL"),
  /** Prefix of every Redis key and channel, so that several instances can share one server. */
  queuePrefix: text(env, "QUEUE_PREFIX") ?? "kept",
  smtpUrl: serverUrl(env, "SMTP_URL", "smtp", "smtps"),
  /** The address of Telegram, or of a Bot API server of the operator. */
  telegramUrl: httpUrl(env, "TELEGRAM_URL") ?? "https://api.telegram.org",
  /** The receiver of traces (OTLP over HTTP); unset: nothing is traced. */
  otlpEndpoint: httpUrl(env, "OTEL_EXPORTER_OTLP_ENDPOINT"),
});

function readAccess(env: Environment) {
  const port = integer(env, "PORT", 3000, 65_535);
  const baseUrl = hostUrl(env, "BASE_URL") ?? `http://localhost:${port}`;
  const authUrl = httpUrl(env, "AUTH_URL");
  const audience = text(env, "AUTH_AUDIENCE")?.split(",");
  return {
    /** Undefined makes servers listen on both loopback addresses. */
    host: text(env, "HOST"),
    port,
    baseUrl,
    /** Issuer of the tokens: AUTH_URL, or BASE_URL, where the built-in provider answers. */
    authUrl: authUrl ?? baseUrl,
    builtInIdentity: authUrl === undefined,
    authAudience: audience?.map((part) => part.trim()) ?? [baseUrl, `${baseUrl}/mcp`],
    authJwtTyp: oneOf(env, "AUTH_JWT_TYP", ["any", "at+jwt"]),
    authClient: authClient(env),
    tokenCacheSeconds: integer(env, "TOKEN_CACHE_SECONDS", 5, 3_600),
    rateLimitPerMinute: integer(env, "RATE_LIMIT_PER_MINUTE", 60, 1_000_000_000),
    mcpRateLimitPerMinute: integer(env, "MCP_RATE_LIMIT_PER_MINUTE", 600, 1_000_000_000),
    mailFrom: text(env, "MAIL_FROM") ?? `Kept <kept@${new URL(baseUrl).hostname}>`,
    signUpOpen: oneOf(env, "SIGN_UP", ["open", "closed"]) === "open",
    /** Apps may name the address of a document instead of registering. */
    clientDocuments: oneOf(env, "CLIENT_DOCUMENTS", ["yes", "no"]) === "yes",
    webhookAllowLoopback: oneOf(env, "WEBHOOK_ALLOW_LOOPBACK", ["no", "yes"]) === "yes",
    metricsToken: text(env, "METRICS_TOKEN"),
    /** The contact in /.well-known/security.txt; unset: that address does not exist. */
    securityContact: contact(env, "SECURITY_CONTACT"),
    /** Networks of the proxy in front of BASE_URL: their X-Forwarded-For is believed. */
    trustedProxies: networks(env, "TRUSTED_PROXIES", privateNetworks),
  };
}

const readBounds = (env: Environment) => ({
  defaultTimeZone: timeZone(env, "DEFAULT_TIME_ZONE"),
  /** The most megabytes of one account; 0 for no limit. */
  accountMegabytes: integer(env, "ACCOUNT_MEGABYTES", 200, 1_000_000),
  /** The most megabytes that one account may send for changes in an hour; 0 for no limit. */
  sentMegabytesPerHour: integer(env, "SENT_MEGABYTES_PER_HOUR", 20, 1_000_000),
  /** Days that the log of tool calls is kept. */
  actionLogDays: integer(env, "ACTION_LOG_DAYS", 400, 36_500),
  /** The sampling of traces, and its ratio if it has one. */
  tracesSampler: oneOf(env, "OTEL_TRACES_SAMPLER", tracesSamplers),
  tracesSamplerArg: share(env, "OTEL_TRACES_SAMPLER_ARG"),
  /** The worker processes of `npm start`; 0: front door and workers are one process. */
  workers: integer(env, "WORKERS", 0, 64),
  workerConcurrency: integer(env, "WORKER_CONCURRENCY", 2, 64),
  /** The port of a worker's health and metrics; 0 for none. */
  workerPort: integer(env, "WORKER_PORT", 0, 65_535),
  /** Seconds that a front door serves on after it was told to stop. */
  drainSeconds: integer(env, "DRAIN_SECONDS", 0, 300),
  logLevel: oneOf(env, "LOG_LEVEL", ["info", "debug", "warn", "error", "silent", "trace", "fatal"]),
});

/** One connection holds the lock of a task while others do the work. */
const minConnections = 3;

function databaseConnections(env: Environment): number | undefined {
  const count = integer(env, "DATABASE_CONNECTIONS", 0, 1_000);
  if (count > 0 && count < minConnections)
    throw new Error(`DATABASE_CONNECTIONS must be at least ${minConnections}.`);
  return count || undefined;
}

function authClient(env: Environment) {
  const id = text(env, "AUTH_CLIENT_ID");
  const secret = text(env, "AUTH_CLIENT_SECRET") ?? "";
  return id === undefined ? undefined : { id, secret };
}

/** A proxy usually runs on this machine or in the network of the containers. */
const privateNetworks = "127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7";

type Environment = Record<string, string | undefined>;

const text = (env: Environment, name: string): string | undefined => env[name]?.trim() || undefined;

function integer(env: Environment, name: string, fallback: number, max: number): number {
  const value = text(env, name);
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > max)
    throw new Error(`${name} must be a whole number up to ${max}, not "${value}".`);
  return number;
}

/** A number from 0 to 1; unset: 1. */
function share(env: Environment, name: string): number {
  const value = text(env, name) ?? "1";
  const number = Number(value);
  if (!(number >= 0 && number <= 1)) throw new Error(`${name} must be a number from 0 to 1, not "${value}".`);
  return number;
}

function oneOf<const Choice extends string>(
  env: Environment,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const value = text(env, name) ?? choices[0];
  const choice = choices.find((candidate) => candidate === value);
  if (!choice) throw new Error(`${name} must be one of ${choices.join(", ")}, not "${value}".`);
  return choice;
}

function httpUrl(env: Environment, name: string): string | undefined {
  const value = text(env, name);
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !/^https?:/.test(value))
    throw new Error(`${name} must be an http(s) address, not "${value}".`);
  return value.replace(/\/+$/, "");
}

/** The address of a whole host, because the service has all paths below it. */
function hostUrl(env: Environment, name: string): string | undefined {
  const value = httpUrl(env, name);
  const { pathname, search, hash } = new URL(value ?? "http://unset");
  if (pathname + search + hash !== "/")
    throw new Error(
      `${name} must be an address without a path, such as https://kept.example.org, not "${value}".`,
    );
  return value;
}

/** An address of a server with one of the given schemes. Its password is not shown. */
function serverUrl(env: Environment, name: string, ...schemes: readonly string[]): string | undefined {
  const value = text(env, name);
  const url = value === undefined ? null : URL.parse(value);
  if (value !== undefined && !(url && schemes.includes(url.protocol.slice(0, -1))))
    throw new Error(`${name} must be an address that begins with ${schemes.join(":// or ")}://.`);
  return value;
}

const postgresUrl = (env: Environment, name: string): string | undefined =>
  serverUrl(env, name, "postgres", "postgresql");

/** The shorter a name, the fewer letters tell it from another program's variable. */
const mostWrongLetters = ({ length }: string): number => (length < 6 ? 0 : length < 8 ? 1 : 2);

/** @throws Error naming a variable that is nearly one of the settings, and the setting */
function refuseMisspelt(env: Environment, settings: ReadonlySet<string>): void {
  for (const name of Object.keys(env).filter((name) => !settings.has(name))) {
    const meant = [...settings].find((setting) => distance(name, setting) <= mostWrongLetters(name));
    if (meant) throw new Error(`There is no setting ${name}. Did you mean ${meant}?`);
  }
}

/** Remembers each variable that is read. */
function recorded(env: Environment): Readonly<{ env: Environment; asked: ReadonlySet<string> }> {
  const asked = new Set<string>();
  const get = (_: Environment, name: string | symbol) => {
    asked.add(String(name));
    return env[String(name)];
  };
  return { env: new Proxy<Environment>({}, { get }), asked };
}

function contact(env: Environment, name: string): string | undefined {
  const value = text(env, name);
  if (value !== undefined && (!/^(mailto|https|tel):/.test(value) || !URL.canParse(value)))
    throw new Error(`${name} must be an https, mailto or tel address, not "${value}".`);
  return value;
}

function timeZone(env: Environment, name: string): string {
  const value = text(env, name) ?? "UTC";
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    throw new Error(`${name} must be an IANA time zone such as Europe/Berlin, not "${value}".`);
  }
}

function networks(env: Environment, name: string, fallback: string): BlockList {
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
