// The script of pages on which things are done. Without it every form works as a form.
import "./acts.js";
import "./live.js";
import "./outbox.js";
import "./palette.js";
import "./quick.js";
import "./rows.js";
import "./sheet.js";

// It keeps Today for times without a connection.
navigator.serviceWorker?.register("/worker.js", { scope: "/account" }).catch(() => {});
