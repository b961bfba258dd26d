export * from "./bundle.ts";
export { approvalIsSigned, hashOf, signApproval } from "./hash.ts";
export * from "./migration.ts";
export { fillTemplate } from "./template.ts";
