import { expect, test } from "bun:test";
import { advise } from "../../../../api/doors/mcp/result.ts";
import {
  alreadySo,
  conflict,
  invalid,
  keyTaken,
  type Refused,
  unavailable,
} from "../../../../shared/errors.ts";

const cases: [string, Refused, string][] = [
  [
    "what is so already needs nothing more",
    alreadySo("Habit is archived."),
    "Habit is archived; nothing was changed and nothing needs to be done.",
  ],
  [
    "whatever it quotes",
    alreadySo('Habit "Run; swim" is archived.'),
    'Habit "Run; swim" is archived; nothing was changed and nothing needs to be done.',
  ],
  [
    "another conflict has its own next step",
    conflict("Habit is archived.", "Restore it first."),
    "Habit is archived. Restore it first.",
  ],
  ["in one sentence", conflict("Todo is done", "open it again."), "Todo is done; open it again."],
  ["a key that is taken", keyTaken(true), expect.stringMatching(/different request; use a new key\.$/)],
  [
    "wrong arguments are corrected",
    invalid({ name: ["The name field is required."] }),
    "The name field is required; correct the arguments and call again.",
  ],
  [
    "an outage has the wait in place of its own step",
    unavailable("no"),
    "The service is briefly unable to write; nothing was changed, so call again in 1 s.",
  ],
];

for (const [name, { refusal }, told] of cases) test(name, () => expect(advise(refusal)).toEqual(told));
