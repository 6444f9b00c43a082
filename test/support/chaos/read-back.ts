import { SQL } from "bun";
import type { Roles } from "./roles.ts";
import { callDoors } from "./world.ts";

type ReadBack = Readonly<{
  total: number;
  /** The number of reads that did not show an acknowledged write. */
  stale: number;
  /** Writes or reads that were refused because the machine was busy. */
  refused: number;
  /** The number of times that the standby did not show the write yet. */
  missing: number;
}>;

const writers = 12;

/** Changes todos at one door and reads each at the other, straight after the answer. */
export async function readBack(
  { baseUrls, issuer }: Roles,
  { reads, standbyUrl }: Readonly<{ reads: number; standbyUrl: string }>,
): Promise<ReadBack> {
  let [total, stale, missing, refused] = [0, 0, 0, 0];
  const standby = new SQL(standbyUrl, { max: writers });
  const write = async (index: number) => {
    const call = callDoors(baseUrls, await issuer.token({ sub: `writer ${index}` }));
    const { body: todo } = await call("POST", "/todos", { body: { title: "Written" } });
    for (let turn = 0; total < reads; turn++) {
      const title = `${index} in turn ${turn}`;
      const written = await call("PATCH", `/todos/${todo.id}`, { door: turn, body: { title } });
      if (written.status === 503) {
        refused += 1;
        continue;
      }
      const [isThere, read] = await Promise.all([
        standby`select from todos where id = ${todo.id} and title = ${title}`,
        call("GET", `/todos/${todo.id}`, { door: turn + 1 }),
      ]);
      if (read.status === 503) {
        refused += 1;
        continue;
      }
      total += 1;
      if (isThere.length === 0) missing += 1;
      if (read.body.title === title) continue;
      stale += 1;
      console.log(`stale: ${JSON.stringify([title, written.status, read.status, read.body.title])}`);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, index) => write(index)));
  await standby.close();
  return { total, stale, missing, refused };
}
