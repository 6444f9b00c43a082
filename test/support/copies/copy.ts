import { expect } from "bun:test";
import type { Answer, JsonBody } from "../../harness.ts";

type Get = (path: string) => Promise<Answer>;

/** The state of a client that keeps a copy: each resource by type and id, and the cursor. */
export type Copy = { resources: Map<string, JsonBody>; cursor: string | undefined; timesBegun: number };

export const newCopy = (): Copy => ({ resources: new Map(), cursor: undefined, timesBegun: 0 });

/** Adds a page of changes to a copy. The cursor behind it is also its id in a stream. */
export function apply(copy: Copy, { id: cursor, page }: Readonly<{ id: string; page: JsonBody }>): void {
  for (const { type, id, deleted, resource } of page.data) {
    expect(deleted).toBe(resource === null);
    if (deleted) copy.resources.delete(`${type} ${id}`);
    else copy.resources.set(`${type} ${id}`, resource);
  }
  copy.cursor = cursor;
}

/**
 * Reads all changes, and starts over when the service says so.
 * @returns the number of changes
 */
export async function bringUpToDate(get: Get, copy: Copy): Promise<number> {
  for (let read = 0; ; ) {
    const { status, body } = await get(
      copy.cursor === undefined ? "/changes" : `/changes?cursor=${copy.cursor}`,
    );
    if (status === 422) copy.cursor = undefined;
    if (status === 422) continue;
    // The caller retries a door that is away.
    if (status === 503) return read;
    expect(status).toBe(200);
    if (copy.cursor === undefined) {
      copy.resources.clear();
      copy.timesBegun += 1;
    }
    expect(body.data.length).toBeLessThanOrEqual(200);
    apply(copy, { id: body.next_cursor, page: body });
    read += body.data.length;
    if (!body.has_more) return read;
  }
}

const lists = { category: "/categories?", habit: "/habits?", todo: "/todos?status=all&" };

/** All things of the user as the lists show them, in the form of a copy. */
export async function everything(get: Get): Promise<Map<string, JsonBody>> {
  const found = new Map<string, JsonBody>();
  for (const [type, path] of Object.entries(lists))
    for (let page = 1, last = 1; page <= last; page++) {
      const { status, body } = await get(`${path}page=${page}`);
      expect(status).toBe(200);
      for (const resource of body.data) found.set(`${type} ${resource.id}`, resource);
      last = body.meta.last_page;
    }
  return found;
}

const inOrder = (resources: Map<string, JsonBody>) =>
  Object.fromEntries([...resources].toSorted(([one], [other]) => (one < other ? -1 : 1)));

/**
 * Checks that updated copies equal the lists, field by field, after the workers' own changes, such as sending
 * reminders. A missed change would not come by waiting.
 */
export async function expectEqual(get: Get, ...copies: readonly Copy[]): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      for (const copy of copies) await bringUpToDate(get, copy);
      const shown = inOrder(await everything(get));
      for (const { resources } of copies) expect(inOrder(resources)).toEqual(shown);
      return;
    } catch (error) {
      if (tries === 40) throw error;
      await Bun.sleep(250);
    }
}
