import type { JsonBody } from "../../harness.ts";

/** A page of changes as it came by a stream. */
type Event = Readonly<{ id: string; page: JsonBody }>;

/** Follows GET /changes/stream until it ends. */
export async function followChanges(
  baseUrl: string,
  token: string,
  lastEventId?: string,
  onEvent: (event: Event) => void = () => {},
) {
  const abort = new AbortController();
  const answer = await fetch(`${baseUrl}/api/v1/changes/stream`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    },
    signal: abort.signal,
  });
  const events: Event[] = [];
  let over = false;
  const ended = readEvents(answer, (event) => {
    events.push(event);
    onEvent(event);
  })
    .catch(() => {})
    .finally(() => {
      over = true;
    });
  return {
    status: answer.status,
    headers: answer.headers,
    events,
    /** Waits until the events fulfil a condition. */
    async until(holds: (events: readonly Event[]) => boolean): Promise<void> {
      const deadline = performance.now() + 10_000;
      while (!holds(events)) {
        if (performance.now() > deadline)
          throw new Error(`Not so: ${JSON.stringify(events).slice(0, 1_000)}`);
        await Bun.sleep(5);
      }
    },
    isOver: () => over,
    /** Resolves when the server has ended it. */
    ended,
    close: () => abort.abort(),
  };
}

async function readEvents({ body }: Response, take: (event: Event) => void): Promise<void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, id, data] = /^event: changes\nid: (.+)\ndata: (.+)$/.exec(block) ?? [];
      if (id !== undefined && data !== undefined) take({ id, page: JSON.parse(data) });
    }
  }
}
