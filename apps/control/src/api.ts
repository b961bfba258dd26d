// The control API as clients see it: every procedure with its input and output. Out: the type `AppRouter`. This file has types
// only. `router.ts` must satisfy them, so the two can't differ.
import type { Diagnostic } from "@plinth/blueprint";
import type { TRPCBuiltRouter, TRPCDefaultErrorData, TRPCErrorShape } from "@trpc/server";
import type { BlueprintProcedures } from "./blueprints/api.ts";
import type { DataProcedures } from "./data/api.ts";
import type { DeploymentProcedures } from "./deployments/api.ts";
import type { DraftProcedures } from "./drafts/api.ts";
import type { EnvironmentProcedures } from "./environments/api.ts";
import type { FieldError } from "./failure.ts";
import type { InvitationProcedures } from "./invitations/api.ts";
import type { KeyProcedures } from "./keys/api.ts";
import type { MailProcedures } from "./mail/api.ts";
import type { OrganizationProcedures } from "./organizations/api.ts";
import type { MeProcedures } from "./people/api.ts";
import type { ProjectProcedures } from "./projects/api.ts";
import type { ProposalProcedures } from "./proposals/api.ts";
import type { AccessTokenProcedures, DeviceProcedures } from "./tokens/api.ts";
import type { TransferProcedures } from "./transfers/api.ts";
import type { UserProcedures } from "./users/api.ts";
import type { WebhookProcedures } from "./webhooks/api.ts";

export type { InboundRequest, InboundSource, InboundStatus } from "./webhooks-in/api.ts";

import type { InboundProcedures } from "./webhooks-in/api.ts";
import type { WorkProcedures } from "./work/api.ts";

export type AppProcedures = {
  me: MeProcedures;
  organizations: OrganizationProcedures;
  invitations: InvitationProcedures;
  projects: ProjectProcedures;
  environments: EnvironmentProcedures;
  blueprints: BlueprintProcedures;
  drafts: DraftProcedures;
  proposals: ProposalProcedures;
  deployments: DeploymentProcedures;
  keys: KeyProcedures;
  data: DataProcedures;
  mail: MailProcedures;
  webhooks: WebhookProcedures;
  inbound: InboundProcedures;
  work: WorkProcedures;
  transfers: TransferProcedures;
  tokens: AccessTokenProcedures;
  devices: DeviceProcedures;
  users: UserProcedures;
};

/** What an error carries in addition to its message: the diagnostics of the blueprint if they are the reason, otherwise null. */
export type ErrorShape = TRPCErrorShape<
  TRPCDefaultErrorData & { diagnostics: readonly Diagnostic[] | null; fields: readonly FieldError[] | null }
>;

export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
  AppProcedures
>;

export type {
  BlueprintVersion,
  BlueprintVersionSummary,
  LiveBlueprint,
  ModelSummary,
  Template,
  Validation,
} from "./blueprints/api.ts";
export type { DataEntity, DataRow, DataRows, FollowedEntity, RecordChange, RecordChanges } from "./data/api.ts";
export type { Deployment, DeploymentStatus, DeploymentStep, DeploymentSummary } from "./deployments/api.ts";
export type { Draft, EarlierDraft, EndedDraft } from "./drafts/api.ts";
export type { ComparedEnvironment, Comparison, CreatedEnvironment, Standing } from "./environments/api.ts";
export type { CreatedInvitation, Invitation, OpenInvitation } from "./invitations/api.ts";
export type { CreatedKey, KeySummary } from "./keys/api.ts";
export type { MailConnection, MailContent, MailSummary, MailSuppression, MailTemplate } from "./mail/api.ts";
export type { Member, MemberRole, MemberScope, OrganizationSummary, Rights } from "./organizations/api.ts";
export type { Me, PersonSession, Theme } from "./people/api.ts";
export type {
  DeletedProject,
  EnvironmentFacts,
  EnvironmentKind,
  EnvironmentSummary,
  Project,
  ProjectStatus,
  ProjectSummary,
} from "./projects/api.ts";
export type {
  ChangeState,
  PlanMeasures,
  PromotedFrom,
  Proposal,
  ProposalPreview,
  ProposalStatus,
  ProposalSummary,
  ProposedPlan,
  StepMeasure,
  Timeline,
  TimelineEntry,
} from "./proposals/api.ts";
export type { AccessToken, CreatedAccessToken, DeviceRequest } from "./tokens/api.ts";
export type {
  BatchOutcome,
  ExportPage,
  ExportPart,
  ExportState,
  ImportBatch,
  ImportState,
  ImportStep,
  RowRefusal,
  StepState,
  TransferEntity,
  TransferField,
  TransferShape,
} from "./transfers/api.ts";
export type { CreatedUser, EndUser, EndUserDetail, EndUserPage, EndUserSession } from "./users/api.ts";
export type {
  DeliveryAttempt,
  DeliveryStatus,
  EndpointFilters,
  EndpointState,
  ForwardOutcome,
  NewWebhookEndpoint,
  PulledDelivery,
  WebhookDelivery,
  WebhookEndpoint,
  WholeWebhookDelivery,
} from "./webhooks/api.ts";
export type {
  AuditLine,
  BulkDone,
  BulkSettling,
  EventSummary,
  ListedError,
  Queue,
  QueueCause,
  Queues,
  Run,
  RunAttempt,
  RunKind,
  RunStatus,
  RunStep,
  RunSummary,
  RunWait,
  ScheduleState,
  SigningSecret,
  StepStatus,
  Used,
  WorkError,
  WorkEvent,
  WorkPage,
  WorkUsage,
} from "./work/api.ts";
