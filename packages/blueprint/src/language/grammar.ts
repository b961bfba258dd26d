// The language's grammar as data, for tests that compare it with its consumers. No production code imports it.
export { ruleFunctions, ruleMethods } from "./expressions.ts";
export { modifierHelp, typeHelp } from "./field-types.ts";
export type { Json, JsonMap } from "./grammar-place.ts";
export { grammarPlaces } from "./grammar-places.ts";
export { moduleHelp, operationHelp } from "./sections.ts";
