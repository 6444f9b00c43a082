import { expect } from "bun:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { Person, World } from "./world.ts";

type Arguments = Readonly<Record<string, unknown>>;

/**
 * A wish of a person, and the calls of an agent that sees only the tool list. In arguments and paths, `#Read` is
 * the id of that thing, which an earlier list of the same conversation has shown.
 */
export type Request = Readonly<{
  said: string;
  calls: readonly (readonly [tool: string, args: Arguments])[];
  /** The answers must have all of these together. */
  tells?: readonly RegExp[];
  /** No answer may have any of these. */
  hides?: readonly RegExp[];
  /** The state afterwards, at a path of REST; a request without it changes nothing. */
  leaves?: readonly (readonly [path: string, shown: object])[];
  /** The part that a correct answer still lacks. */
  part?: string;
  /** The reason why the request cannot be done yet; it is not run. */
  todo?: string;
}>;

/** The cost of a request: its calls, and the tokens of their arguments and of the text that answers them. */
export type Cost = Readonly<{ calls: number; tokens: number }>;

const tokensOf = (text: string): number => encode(text).length;

/** Carries a request out. It fails if an argument is not in the tool list, or the answer or the state is wrong. */
export async function carryOut(world: World, person: Person, request: Request): Promise<Cost> {
  const answers: string[] = [];
  let tokens = 0;
  for (const [tool, written] of request.calls) {
    const args = person.withIds(written);
    const known = world.tools.get(tool)?.inputSchema.properties ?? {};
    expect(Object.keys(known)).toEqual(expect.arrayContaining(Object.keys(args)));
    const { text, isError } = await person.call(tool, args);
    expect([isError, text]).toEqual([false, text]);
    answers.push(text);
    tokens += tokensOf(JSON.stringify(args)) + tokensOf(text);
  }
  const told = answers.join("\n");
  for (const words of request.tells ?? []) expect(told).toMatch(words);
  for (const words of request.hides ?? []) expect(told).not.toMatch(words);
  for (const [path, shown] of request.leaves ?? [])
    expect((await person.rest("GET", person.withIds(path))).body).toMatchObject(shown);
  return { calls: request.calls.length, tokens };
}
