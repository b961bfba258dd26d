// The language's grammar as data, for those who hold it against what becomes of it. Nothing that runs imports it.
export { ruleFunctions, ruleMethods, ruleNames, type WordHelp } from "./expressions.ts";
export { modifierHelp, type TypeHelp, typeHelp } from "./field-types.ts";
export { type GrammarPlace, grammarPlaces, type Json, type JsonMap } from "./grammar-places.ts";
export { moduleHelp, operationHelp } from "./sections.ts";
