/** The notes of what was done in this tab, newest last: an undo offers the one before it. */
const name = "kept-undo";
const most = 20;

const read = () => JSON.parse(sessionStorage.getItem(name) ?? "[]");
const write = (notes) => sessionStorage.setItem(name, JSON.stringify(notes.slice(-most)));

/** Notes that begin so cannot be undone. */
const isFinal = (note) => /^(told|late|back|)_|^$/.test(note);

export const noteDone = (note) => isFinal(note) || read().at(-1) === note || write([...read(), note]);

export const noteUndone = () => write(read().slice(0, -1));

/** The note before the last one, for the server to offer next. */
export const notesBefore = () => read().at(-2) ?? "";

/** The note that can be undone next; undefined when there is none. */
export const lastNote = () => read().at(-1);

noteDone(new URLSearchParams(location.search).get("tick") ?? "");
