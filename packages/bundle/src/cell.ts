// The protocol between control and a cell: the calls, their bodies and answers, and their authentication.
export * from "./cell/answers.ts";
export * from "./cell/assertion.ts";
export type { GrantBody, KeyBody, MeasuredBody, MeasuredRecords, MeasuredReferences } from "./cell/bodies.ts";
export * as cellCalls from "./cell/calls.ts";
export { type CellCall, cellPath, DATA_PATH } from "./cell/calls.ts";
export * from "./cell/transfers.ts";
export type {
  CreatedUser,
  EndUser,
  EndUserDetail,
  EndUserPage,
  EndUserSession,
  FindUsersBody,
  NewUserBody,
} from "./cell/users.ts";
export * as userCalls from "./cell/users.ts";
