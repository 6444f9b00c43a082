import { type Static, Type } from "typebox";
import { approvalStates } from "../../domain/vocabulary.ts";
import { command, query, route } from "../kernel/contract.ts";
import { Flag, Id, Nullable, OneOf, Timestamp, titled, titledObject, WholeNumber } from "../kernel/fields.ts";

/** A waiting request, as a token that must ask for deletions gets it. */
export const exampleApproval = {
  input: { approval_id: "019a6f2e-5b1c-7c3a-9f1e-2d6a4b8c0e11" },
  output: {
    id: "019a6f2e-5b1c-7c3a-9f1e-2d6a4b8c0e11",
    state: "waiting" as const,
    created_at: "2026-11-20T08:30:00.000000Z",
    expires_at: "2026-11-23T08:30:00.000000Z",
    decided_at: null,
    approve_at: "http://localhost:3000/account/approvals",
    answer: null,
  },
};

/** Hours for which a request waits for its person. */
export const waitingHours = 72;
/** The most requests of one account that wait at the same time. */
export const maxWaiting = 100;
const mostADay = 100_000;

const Limit = Nullable(WholeNumber(0, mostADay));

export const TokenRules = Type.Object({
  asks_deletions: Flag,
  ask_above: Limit,
  changes_per_day: Limit,
  deletions_per_day: Limit,
  category_id: Nullable(Id),
});
export type TokenRules = Static<typeof TokenRules>;

export const setTokenRules = command({
  name: "token.set-rules",
  apart: true,
  scopes: [],
  summary:
    "Choose what a token must ask for, how much it may change a day, and the category it is limited to",
  input: Type.Object({
    token_id: Type.String({ minLength: 1, maxLength: 1_000, pattern: "^[^\\u0000]*$" }),
    ...TokenRules.properties,
  }),
  output: Type.Null(),
  events: ({ token_id }) => [{ kind: "token_ruled", details: { token: token_id } }],
});

const ApprovalId = Type.String({ format: "uuid", expects: "the id of a request for approval" });

export const decideApprovals = command({
  name: "approval.decide",
  apart: true,
  scopes: [],
  summary:
    "Approve or decline requests of agents. An approved one is carried out if nobody changed its things since",
  input: Type.Object({
    approval_ids: Type.Array(ApprovalId, { minItems: 1, maxItems: maxWaiting, uniqueItems: true }),
    approve: Flag,
  }),
  output: Type.Object({
    decided: Type.Integer({ description: "How many still waited" }),
    work_id: Nullable(Type.String({ format: "uuid" })),
  }),
});

const Approval = titledObject("Approval", {
  id: Type.String({ format: "uuid" }),
  state: titled("ApprovalState", OneOf(approvalStates)),
  created_at: Timestamp,
  expires_at: Timestamp,
  decided_at: Nullable(Timestamp),
  approve_at: Type.String({ description: "The page where the person decides" }),
  answer: Nullable(
    titled(
      "ApprovedAnswer",
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: "The change's answer, once it is done; null for a group",
        },
      ),
    ),
  ),
});

export const getApproval = query({
  name: "approval.get",
  resource: "Approval",
  scopes: [],
  summary: "View the state of a request that needs approval; only the token that made it can",
  rest: [route("getApproval", "GET", "/approvals/{approval_id}", exampleApproval)],
  input: Type.Object({ approval_id: ApprovalId }),
  output: Approval,
});
