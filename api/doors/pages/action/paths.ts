/** The addresses of the list of actions and of its forms. */
export const actionsPath = "/account/actions";
export const undoPath = `${actionsPath}/undo`;
export const choosePath = `${actionsPath}/choose`;
export const runPath = `${actionsPath}/run`;
export const forgetPath = `${actionsPath}/forget`;

/** The addresses of the requests that wait for approval, and of the rules of tokens. */
export const approvalsPath = "/account/approvals";
export const agentsPath = "/account/agents";
