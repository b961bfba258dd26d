// Replaces a value that the viewer must not see.
export const MASK = "[masked]";
