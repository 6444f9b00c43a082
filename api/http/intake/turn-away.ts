import { type Refusal, refuse } from "../../../shared/errors.ts";

const { refusal: overloaded } = refuse("overloaded", "The service is overloaded.", {
  next: "Please try again.",
  applied: "no",
  retryAfterSeconds: 1,
});

/**
 * Makes the answers to requests that cannot be served now. They are written beforehand, because a refusal for overload
 * must cost next to nothing.
 * @param doors the path suffixes of doors; all other paths are answered as `""`
 * @param refusalAt writes a refusal in the form of the door at a path
 */
export async function createTurnAway(
  doors: readonly string[],
  refusalAt: (path: string, refusal: Refusal) => Response,
): Promise<(request: Request) => Response> {
  const other = await repeatable(refusalAt("", overloaded));
  const answers = await Promise.all(
    doors.map(async (path) => [path, await repeatable(refusalAt(path, overloaded))] as const),
  );
  return ({ url }) => (answers.find(([path]) => url.endsWith(path))?.[1] ?? other)();
}

/** Copies a response, because it can be sent only once. */
async function repeatable(response: Response): Promise<() => Response> {
  const body = await response.text();
  const { status } = response;
  const headers = Object.fromEntries(response.headers);
  return () => new Response(body, { status, headers });
}
