/** The id in the path of a page about one thing, such as `/account/habits/7/edit`. */
export const idInPath = /(?<=\/)[1-9]\d{0,14}(?=\/|$)/;

/** The id in the path of a page whose address has `:id`. */
export const pathId = (url: URL): number => Number(idInPath.exec(url.pathname)?.[0]);
