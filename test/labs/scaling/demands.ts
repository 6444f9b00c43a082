import { type Cpu, ofEachProgram } from "../bench/load/measure.ts";

/** Processor time (µs) of a program for each request, and for each batch of any size. */
type Demand = Readonly<{ request: number; batch: number }>;
export type Demands = Readonly<Record<keyof Cpu, Demand>>;

/** Processor time per request by program, where so many requests shared a batch. */
type Point = Readonly<{ cpu: Cpu; requestsPerBatch: number }>;

/** Solves `request + batch / requestsPerBatch` of each program from two measured points. */
export function demandsOf(alone: Point, together: Point): Demands {
  return ofEachProgram((program) => {
    const saved = alone.cpu[program] - together.cpu[program];
    const batch = Math.max(0, saved / (1 / alone.requestsPerBatch - 1 / together.requestsPerBatch));
    return { batch, request: Math.max(0, alone.cpu[program] - batch / alone.requestsPerBatch) };
  });
}

/** Processor time per request in batches of this size. */
export const costOf = ({ request, batch }: Demand, requestsPerBatch: number): number =>
  request + batch / requestsPerBatch;
