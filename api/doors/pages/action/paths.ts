/** The addresses of the list of actions and of its forms. */
export const actionsPath = "/account/actions";
export const undoPath = `${actionsPath}/undo`;
export const choosePath = `${actionsPath}/choose`;
export const runPath = `${actionsPath}/run`;
export const forgetPath = `${actionsPath}/forget`;
