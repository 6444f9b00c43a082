// The script of pages on which things are done. Without it every form works as a form.
import "./live.js";
import "./outbox.js";
import "./quick.js";
