export { type ApiKeyKind, apiKeyIsWellFormed, hashApiKey, newApiKey } from "./api-key.ts";
export * from "./bundle.ts";
export {
  type Decoded,
  type DecodeProblem,
  decodePublication,
  type ReceivedPublication,
  readStoredBundle,
  readStoredPlan,
} from "./decode.ts";
export { approvalIsSigned, hashOf, signApproval } from "./hash.ts";
export * from "./ids.ts";
export * from "./migration.ts";
export { fillTemplate, type SqlTemplate } from "./template.ts";
