import type { Client } from "openapi-fetch";
import { errorOf } from "./errors.ts";
import type { paths } from "./schema.ts";

/** The openapi-fetch client of Kept's routes: `GET`, `POST` and so on, typed by path. */
export type KeptClient = Client<paths>;

/** The result of a call: data if the request succeeded, else the refusal. */
export type ClientAnswer<Data> = Readonly<{ data?: Data; error?: unknown; response: Response }>;

/**
 * The data of a call, for callers who prefer exceptions.
 * @throws KeptError if the request was refused, waits for approval or was not answered
 */
export async function dataOf<Data>(call: Promise<ClientAnswer<Data>>): Promise<Data> {
  const { data, error, response } = await call;
  if (response.ok && response.status !== 202) return data as Data;
  throw errorOf(error ?? data, response);
}
