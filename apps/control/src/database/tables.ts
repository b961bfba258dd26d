// The control database's tables for Kysely. Out: the type `Database`. The SQL is in `migrations/`.
import type { Change, Diagnostic } from "@plinth/blueprint";
import type { ApiKeyKind, Bundle, MigrationPlan } from "@plinth/bundle";
import type { ColumnType, Generated, Kysely, RawBuilder, Transaction } from "kysely";
import type { DeploymentStatus, DeploymentStep } from "../deployments/api.ts";
import type { MemberRole, MemberScope } from "../organizations/api.ts";
import type { Theme } from "../people/api.ts";
import type { EnvironmentKind } from "../projects/api.ts";
import type { PlanMeasures, PromotedFrom, Proposal, ProposalStatus, ProposedPlan } from "../proposals/api.ts";
import type { AccessTokenKind } from "../tokens/api.ts";

export type ControlDatabase = Kysely<Database>;
/** A connection, or an open transaction. */
export type Connection = Kysely<Database> | Transaction<Database>;

/** Written as JSON text and read as parsed JSON: pg would send a JavaScript array as a Postgres array. */
type Json<T> = ColumnType<T, string, string>;

export interface Database {
  people: PeopleTable;
  sessions: SessionsTable;
  accounts: AccountsTable;
  two_factors: TwoFactorsTable;
  used_codes: UsedCodesTable;
  verifications: VerificationsTable;
  password_resets: PasswordResetsTable;
  organizations: OrganizationsTable;
  memberships: MembershipsTable;
  membership_projects: MembershipProjectsTable;
  invitations: InvitationsTable;
  invitation_projects: InvitationProjectsTable;
  cells: CellsTable;
  projects: ProjectsTable;
  project_names: ProjectNamesTable;
  environment_lineage: EnvironmentLineageTable;
  blueprint_versions: BlueprintVersionsTable;
  proposals: ProposalsTable;
  deployments: DeploymentsTable;
  key_metadata: KeyMetadataTable;
  submissions: SubmissionsTable;
  drafts: DraftsTable;
  earlier_drafts: EarlierDraftsTable;
  audit: AuditTable;
  access_tokens: AccessTokensTable;
  ai_parts: AiPartsTable;
  device_grants: DeviceGrantsTable;
}

interface PeopleTable {
  id: string;
  name: string;
  email: string;
  email_verified: Generated<boolean>;
  theme: Generated<Theme>;
  two_factor_enabled: Generated<boolean>;
  deleted_at: ColumnType<Date | null, never, RawBuilder<unknown>>;
}

/** The columns of better-auth's own tables that control reads. */
interface SessionsTable {
  id: string;
  person_id: string;
  token_hash: string;
  ip_address: string | null;
  user_agent: string | null;
  created_at: Date;
  expires_at: Date;
  last_seen_at: ColumnType<Date, never, RawBuilder<unknown>>;
}

interface AccountsTable {
  person_id: string;
  provider_id: string;
  password_hash: string | null;
  updated_at: ColumnType<Date, never, RawBuilder<unknown>>;
}

interface TwoFactorsTable {
  person_id: string;
}

/** `value` is the person of a sign-in that waits for a code. */
interface VerificationsTable {
  value: string;
}

interface PasswordResetsTable {
  token_hash: string;
  person_id: string;
  email: string;
  mailed: boolean;
  created_at: Generated<Date>;
  expires_at: ColumnType<Date, RawBuilder<unknown>, never>;
}

interface UsedCodesTable {
  person_id: string;
  code_hash: string;
  used_at: Generated<Date>;
}

interface OrganizationsTable {
  id: string;
  name: string;
  personal_of: string | null;
  created_at: Generated<Date>;
}

interface MembershipsTable {
  organization_id: string;
  person_id: string;
  role: MemberRole;
  scope: MemberScope["kind"];
  created_at: Generated<Date>;
}

interface MembershipProjectsTable {
  organization_id: string;
  person_id: string;
  project_id: string;
}

interface InvitationsTable {
  id: string;
  organization_id: string;
  email: string;
  role: MemberRole;
  scope: MemberScope["kind"];
  token_hash: string;
  invited_by: string;
  created_at: Generated<Date>;
  expires_at: Date;
  accepted_at: Date | null;
  accepted_by: string | null;
  revoked_at: Date | null;
  mailed_at: ColumnType<Date | null, never, RawBuilder<unknown>>;
}

interface InvitationProjectsTable {
  invitation_id: string;
  organization_id: string;
  project_id: string;
}

interface CellsTable {
  id: string;
  internal_url: string;
  public_url: string;
  status: Generated<"open" | "closed">;
  created_at: Generated<Date>;
}

interface ProjectNamesTable {
  organization_id: string;
  name: string;
  project_id: string;
}

interface EnvironmentLineageTable {
  project_id: string;
  version_hash: string;
}

export interface ProjectsTable {
  id: string;
  /** Null for a project. For any other environment, its project. */
  parent_id: string | null;
  environment: Generated<EnvironmentKind>;
  environment_name: Generated<string>;
  organization_id: string;
  slug: string;
  cell_id: string;
  provisioned_at: Date | null;
  live_version_id: string | null;
  live_deployment_id: string | null;
  changes_made: Generated<number>;
  live_bundle_hash: string | null;
  live_at: Date | null;
  created_at: Generated<Date>;
  deleted_at: ColumnType<Date | null, never, RawBuilder<unknown> | null>;
  erase_after: ColumnType<Date | null, never, RawBuilder<unknown> | null>;
  deleted_by: ColumnType<string | null, never, string | null>;
  on_cell: Generated<"served" | "unsure" | "suspended">;
}

interface BlueprintVersionsTable {
  id: string;
  project_id: string;
  /** As it was uploaded. */
  text: string;
  /** The text in today's syntax, if an earlier version of the language read it differently. */
  text_now: string | null;
  hash: string;
  model_hash: string;
  model: ColumnType<unknown, string | null, string>;
  model_version: number | null;
  created_by: string;
  created_at: Generated<Date>;
}

export interface ProposalsTable {
  id: string;
  project_id: string;
  /** Counts up within the project. */
  number: number;
  title: string;
  version_id: string;
  base_version_id: string | null;
  from_version_id: string | null;
  base_deployment_id: string | null;
  base_bundle_hash: string | null;
  diagnostics: Json<readonly Diagnostic[]>;
  diff: Json<readonly Change[]>;
  plan: Json<MigrationPlan>;
  refused: Json<ProposedPlan["refused"]>;
  bundle: Json<Bundle>;
  bundle_hash: string;
  hash: string;
  author: Proposal["author"];
  ai_parts: Json<readonly string[]>;
  consents: Json<readonly string[]>;
  losses: Json<readonly string[]>;
  name: string | null;
  promoted_from: ColumnType<PromotedFrom | null, string | null, never>;
  promoted_lineage: ColumnType<readonly string[] | null, string | null, never>;
  measures: ColumnType<PlanMeasures | null, string | null, string | null>;
  status: ProposalStatus;
  created_by: string;
  created_at: Generated<Date>;
  approved_by: string | null;
  approved_at: Date | null;
}

export interface DeploymentsTable {
  id: string;
  project_id: string;
  proposal_id: string;
  release_id: string;
  status: DeploymentStatus;
  error: string | null;
  steps: ColumnType<readonly DeploymentStep[], string | undefined, string>;
  created_by: string;
  created_at: Generated<Date>;
  finished_at: Date | null;
  resuming: Generated<boolean>;
  waiting_since: Generated<Date | null>;
}

export interface KeyMetadataTable {
  id: string;
  project_id: string;
  name: string;
  kind: ApiKeyKind;
  role: string | null;
  last4: string;
  created_by: string;
  created_at: Generated<Date>;
  expires_at: Date | null;
  revoked_at: Date | null;
}

interface SubmissionsTable {
  person_id: string;
  key: string;
  procedure: string;
  input_hash: string;
  started_at: Generated<Date>;
  done_at: Date | null;
}

export interface DraftsTable {
  project_id: string;
  person_id: string;
  version: number;
  text: string;
  base_version_id: string | null;
  saved_at: ColumnType<Date, Date | undefined, Date>;
  ended_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  ended_by: ColumnType<
    "deployed" | "discarded" | null,
    "deployed" | "discarded" | null | undefined,
    "deployed" | "discarded" | null
  >;
}

interface EarlierDraftsTable {
  project_id: string;
  person_id: string;
  version: number;
  text: string;
  base_version_id: string | null;
  saved_at: Date;
}

interface AuditTable {
  id: Generated<string>;
  at: Generated<Date>;
  person_id: string | null;
  action: string;
  organization_id: string | null;
  project_id: string | null;
  subject: string | null;
  detail: ColumnType<Record<string, unknown>, string, never>;
}

interface AiPartsTable {
  project_id: string;
  part_hash: string;
  created_at: Generated<Date>;
}

export interface AccessTokensTable {
  id: string;
  person_id: string;
  name: string;
  kind: AccessTokenKind;
  token_hash: string;
  created_at: Generated<Date>;
  expires_at: Date;
  last_used_at: Date | null;
}

interface DeviceGrantsTable {
  device_code_hash: string;
  user_code: string;
  device_name: string;
  address: string;
  status: "pending" | "approved" | "denied";
  person_id: string | null;
  created_at: Generated<Date>;
  expires_at: Date;
  polled_at: Date | null;
}
