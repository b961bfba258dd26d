export type { Approval, ApprovalAnswer, Approvals } from "./approvals.ts";
export type { BatchOptions, Performed, Plan, Planned, Planner } from "./batch.ts";
export {
  type ActionOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Question,
} from "./client.ts";
export type { Calculation, GroupKey, OwnSort, OwnWhere, Row, Sort, Test, Where } from "./conditions.ts";
export type { AggregateOptions, Entity, Lists, Page } from "./entity.ts";
export {
  Conflict,
  ConnectionFailed,
  type FieldError,
  Forbidden,
  NotFound,
  PlinthError,
  PreconditionFailed,
  RateLimited,
  Unauthenticated,
  ValidationFailed,
} from "./errors.ts";
export type { Invitation, Member, MemberOf, Membership, OrganizationRole, Organizations } from "./organizations.ts";
export type { Expansion, FieldName, Found, ListOptions, Seen, Shown } from "./reading.ts";
export type { Auth, Credentials, ProfileOf, Session, SignUp, User, UserOf } from "./session.ts";
export type { Change, SubscribeOptions, Subscription } from "./subscribe.ts";
export type { AnyProject, EntityTypes, OrganizationRecord, ProjectTypes, Run } from "./types.ts";
export type { Users } from "./users.ts";
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookRefused,
} from "./webhooks.ts";
export type { CallOptions, ManyOptions, Result, WriteOptions, Written } from "./writing.ts";
