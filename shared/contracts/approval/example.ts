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
