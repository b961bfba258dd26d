// The language's grammar as data, for those who hold it against what becomes of it. Nothing that runs imports it.
export { ruleFunctions, ruleMethods } from "./expressions.ts";
export { modifierHelp, typeHelp } from "./field-types.ts";
export type { Json, JsonMap } from "./grammar-place.ts";
export { grammarPlaces } from "./grammar-places.ts";
export { moduleHelp, operationHelp } from "./sections.ts";
