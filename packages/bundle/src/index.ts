export { type ApiKeyKind, apiKeyIsWellFormed, hashApiKey, newApiKey } from "./api-key.ts";
export {
  type Approval,
  approvalProblem,
  isLegacy,
  type LegacyApproval,
  legacyApprovalIsSigned,
  signApproval,
  type UnsignedApproval,
} from "./approval.ts";
export * from "./background.ts";
export * from "./bundle.ts";
export * from "./bundle-field.ts";
export {
  type ControlPublicKeys,
  type ControlSigner,
  newControlKeys,
  readControlPublicKeys,
  readControlSigner,
} from "./control-keys.ts";
export {
  type Decoded,
  type DecodeProblem,
  decodePublication,
  type ReceivedPublication,
  readStoredBundle,
  readStoredPlan,
} from "./decode.ts";
export { type EnvironmentName, environmentOfSlug, PRODUCTION, slugOfEnvironment } from "./environment-name.ts";
export { hashOf } from "./hash.ts";
export * from "./ids.ts";
export type { BundleInbound, BundleScheme } from "./inbound.ts";
export { defaultCallMsMax, defaultLimitsMax } from "./limits.ts";
export * from "./migration.ts";
export type { BundleOutbound, PayloadVersion } from "./outbound.ts";
export { ALWAYS, distinctPredicates, type Look, NEVER, type Predicate, predicateSql } from "./predicate.ts";
export {
  type BundleSearch,
  EXTENSIONS_SCHEMA,
  FUZZY_MARK,
  foldedText,
  foldText,
  loweredText,
} from "./search.ts";
export { fillTemplate, type SqlTemplate } from "./template.ts";
