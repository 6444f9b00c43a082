import { expect } from "bun:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { Person, World } from "./world.ts";

type Arguments = Readonly<Record<string, unknown>>;

type Parts = Readonly<{
  words: string;
  calls: readonly (readonly [tool: string, args: Arguments])[];
  told: readonly RegExp[];
  hidden: readonly RegExp[];
  left: readonly (readonly [path: string, shown: object])[];
}>;

/**
 * The words of a person, and the calls of an agent that sees only the tool list. In arguments and paths, `#Read` is
 * the id of that thing, which an earlier list of the same conversation has shown.
 */
export type Request = Parts &
  Readonly<{
    andThen(tool: string, args: Arguments): Request;
    /** The answers have all of these together. */
    tells(...told: RegExp[]): Request;
    /** No answer has any of these. */
    hides(...hidden: RegExp[]): Request;
    /** The state afterwards, at a path of REST; a request without it changes nothing. */
    leaves(path: string, shown: object): Request;
  }>;

const request = (parts: Parts): Request => ({
  ...parts,
  andThen: (tool, args) => request({ ...parts, calls: [...parts.calls, [tool, args]] }),
  tells: (...told) => request({ ...parts, told }),
  hides: (...hidden) => request({ ...parts, hidden }),
  leaves: (path, shown) => request({ ...parts, left: [...parts.left, [path, shown]] }),
});

export const said = (words: string, tool: string, args: Arguments): Request =>
  request({ words, calls: [[tool, args]], told: [], hidden: [], left: [] });

/** The cost of a request: its calls, and the tokens of their arguments and of the text that answers them. */
export type Cost = Readonly<{ calls: number; tokens: number }>;

const tokensOf = (text: string): number => encode(text).length;

/** Carries a request out. It fails if an argument is not in the tool list, or the answer or the state is wrong. */
export async function carryOut(
  world: World,
  person: Person,
  { calls, told, hidden, left }: Request,
): Promise<Cost> {
  const answers: string[] = [];
  let tokens = 0;
  for (const [tool, written] of calls) {
    const args = person.withIds(written);
    const known = world.tools.get(tool)?.inputSchema.properties ?? {};
    expect(Object.keys(known)).toEqual(expect.arrayContaining(Object.keys(args)));
    const { text, isError } = await person.call(tool, args);
    expect([isError, text]).toEqual([false, text]);
    answers.push(text);
    tokens += tokensOf(JSON.stringify(args)) + tokensOf(text);
  }
  const answer = answers.join("\n");
  for (const words of told) expect(answer).toMatch(words);
  for (const words of hidden) expect(answer).not.toMatch(words);
  for (const [path, shown] of left)
    expect((await person.rest("GET", person.withIds(path))).body).toMatchObject(shown);
  return { calls: calls.length, tokens };
}
