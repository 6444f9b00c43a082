import { lowerPriority } from "./priority.ts";

/**
 * Passwords of strangers take a processor for long; requests of the service come first. A busy machine must still check
 * tokens. Threads inherit the priority of the thread that starts them, so this runs before any other module.
 */
lowerPriority(5);
