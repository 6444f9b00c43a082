import { join } from "node:path";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { type RedisNode, startRedisNode } from "./redis-node.ts";

const slots = 16_384;
const masterCount = 3;

/** Starts three masters with a replica each, in a folder. */
export async function startCluster(folder: string) {
  const nodes: RedisNode[] = [];
  for (let number = 0; number < 2 * masterCount; number++) {
    const busPort = await freePort();
    const lines = ["cluster-enabled yes", `cluster-port ${busPort}`, "cluster-node-timeout 1500"];
    const node = await startRedisNode(join(folder, String(number)), lines);
    nodes.push(node);
    await nodes[0]?.send("CLUSTER", "MEET", "127.0.0.1", String(node.port), String(busPort));
  }
  const masters = nodes.slice(0, masterCount);
  const firstSlotOf = (index: number): number => Math.floor((slots * index) / masterCount);
  for (const [index, master] of masters.entries()) {
    const [from, to] = [firstSlotOf(index), firstSlotOf(index + 1) - 1];
    await master.send("CLUSTER", "ADDSLOTSRANGE", String(from), String(to));
  }
  for (const [index, replica] of nodes.slice(masterCount).entries()) {
    const id = String(await masters[index]?.send("CLUSTER", "MYID"));
    while (!String(await replica.send("CLUSTER", "NODES")).includes(id)) await Bun.sleep(100);
    await replica.send("CLUSTER", "REPLICATE", id);
  }
  for (const node of nodes) {
    while (!String(await node.send("CLUSTER", "INFO")).includes("cluster_state:ok")) await Bun.sleep(100);
    while (String(await node.send("CLUSTER", "NODES")).match(/slave/g)?.length !== masterCount)
      await Bun.sleep(100);
  }
  return {
    url: `redis+cluster://${nodes.map(({ address }) => address).join(",")}`,
    masters,
    nodes,
    /** @returns the master that has a key */
    async ownerOf(key: string): Promise<number> {
      const slot = Number(await masters[0]?.send("CLUSTER", "KEYSLOT", key));
      return masters.findLastIndex((_, index) => slot >= firstSlotOf(index));
    },
  };
}
