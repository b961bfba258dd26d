// The control database's tables as Kysely sees them. Out: the type `Database`. The SQL stands in `migrations/`.
import type { Change, Diagnostic } from "@plinth/blueprint";
import type { ApiKeyKind, Bundle, MigrationPlan } from "@plinth/bundle";
import type { ColumnType, Generated, Kysely, Transaction } from "kysely";
import type { DeploymentStatus, DeploymentStep } from "../deployments/api.ts";
import type { MemberRole, MemberScope } from "../organizations/api.ts";
import type { EnvironmentKind } from "../projects/api.ts";
import type { PlanMeasures, PromotedFrom, Proposal, ProposalStatus, ProposedPlan } from "../proposals/api.ts";

export type ControlDatabase = Kysely<Database>;
/** A connection, or a transaction under way. */
export type Connection = Kysely<Database> | Transaction<Database>;

/** Written as JSON text, read parsed: pg would send a JavaScript array as a Postgres array. */
type Json<T> = ColumnType<T, string, string>;

export interface Database {
  people: PeopleTable;
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
  audit: AuditTable;
}

interface PeopleTable {
  id: string;
  name: string;
  email: string;
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
  /** Null for a project; the project of any other environment. */
  parent_id: string | null;
  environment: Generated<EnvironmentKind>;
  environment_name: Generated<string>;
  organization_id: string;
  slug: string;
  cell_id: string;
  provisioned_at: Date | null;
  live_version_id: string | null;
  live_deployment_id: string | null;
  live_bundle_hash: string | null;
  live_at: Date | null;
  created_at: Generated<Date>;
}

interface BlueprintVersionsTable {
  id: string;
  project_id: string;
  /** As it was uploaded. */
  text: string;
  /** What today's language makes of it, where an earlier version read it otherwise. */
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
