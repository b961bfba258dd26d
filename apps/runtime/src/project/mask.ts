// What stands in the place of a value that whoever looks must not see.
export const MASK = "[masked]";
