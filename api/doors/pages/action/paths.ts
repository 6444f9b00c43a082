/** The list of actions, and where its forms lead. */
export const actionsPath = "/account/actions";
export const undoPath = `${actionsPath}/undo`;
export const runPath = `${actionsPath}/run`;
export const forgetPath = `${actionsPath}/forget`;
