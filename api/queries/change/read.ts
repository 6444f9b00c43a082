import { cursorIsOutdated } from "../../../shared/contracts/change/contracts.ts";
import { readChangedThings } from "../../../shared/db/reads/change-places.ts";
import { readChangedResources } from "../../../shared/db/reads/changed-resources.ts";
import { invalid, type Refused } from "../../../shared/errors.ts";
import type { QueryContext, QueryHandler } from "../engine/context.ts";

export const readChanges: QueryHandler<"change.list", Refused> = (query, { cursor }) =>
  readPage(query, { cursor, isFinal: false });

export const readFinalChanges: QueryHandler<"change.stream", Refused> = (query, { cursor }) =>
  readPage(query, { cursor, isFinal: true });

/** A stream whose client does not read holds one page, so that has few things. */
const mostStreamed = 20;

async function readPage(query: QueryContext, options: Parameters<typeof readChangedThings>[1]) {
  const found = await readChangedThings(query.rows, options);
  if (!found) return invalid({ cursor: [cursorIsOutdated] });
  const { things, cursorAt, next_cursor, has_more } = found;
  const shown = options.isFinal ? things.slice(0, mostStreamed) : things;
  const last = shown.length < things.length ? shown.at(-1) : undefined;
  const place = last ? { next_cursor: cursorAt(last.place), has_more: true } : { next_cursor, has_more };
  const { tokenId, clientName: name } = query.token;
  const data = await readChangedResources(query.rows, shown, { ...query, reader: { tokenId, name } });
  return { data, ...place };
}
