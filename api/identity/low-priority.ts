import { setPriority } from "node:os";

/**
 * Passwords of strangers take a processor for long; requests of the service come first. Threads inherit the priority of
 * the thread that starts them, so this runs before any other module.
 */
setPriority(10);
