// Proposals in the database. In: a proposal or ids. Out: rows. Each change of a status locks the project's row, so that
// approving, rejecting and going live can't overtake each other. It never decides; the caller passes a decision.
import { type Selectable, sql } from "kysely";
import { saveVersion, textOf } from "../blueprints/store.ts";
import { writeAudit } from "../database/audit.ts";
import type { Connection, ControlDatabase, ProjectsTable, ProposalsTable } from "../database/tables.ts";
import { notFound } from "../failure.ts";
import { holderOf } from "../projects/names.ts";
import { aiPartsOf, keepAiParts } from "./ai-parts-store.ts";
import type { ChangeState, PersonName, PlanMeasures, Proposal, ProposalSummary } from "./api.ts";
import { changeState, latestDeployment } from "./change-state.ts";
import { forgetOld } from "./forget-old.ts";
import { insertion, type NewProposal, openTwin } from "./new-proposal.ts";

/** The long columns, read only when a proposal is shown: parsing them costs milliseconds. */
const longColumns = ["diagnostics", "diff", "plan", "losses", "measures", "promoted_lineage", "ai_parts"] as const;
type LongColumn = (typeof longColumns)[number];

/** Without the long columns. Where the bundle is needed, it is needed as text. */
export type ProposalRow = Omit<Selectable<ProposalsTable>, "bundle" | LongColumn>;
type ProjectRow = Selectable<ProjectsTable>;

/** A proposal with everything that is shown. */
export interface ProposalRecord {
  readonly row: ProposalRow & Pick<Selectable<ProposalsTable>, LongColumn>;
  readonly summary: ProposalSummary;
  /** The hash of its bundle, and so of its plan. */
  readonly format: number;
  readonly text: string;
  readonly baseText: string | null;
  readonly rejected: Proposal["rejected"];
  readonly deploymentId: string | null;
}

export interface ProposalStore {
  /**
   * If a person proposes a text again that they have open, compared with the same live version, they get the open proposal.
   * @returns The proposal's id. Null if the project no longer exists.
   */
  insert(proposal: NewProposal): Promise<string | null>;
  get(proposalId: string): Promise<ProposalRecord | null>;
  list(projectId: string): Promise<readonly ProposalSummary[]>;
  rename(proposalId: string, by: string, title: string): Promise<void>;
  /** The latest change that introduced this version, as "#3: Add orders". */
  titleOfVersion(versionId: string): Promise<string | null>;
  /** Replaces the measurements of the live database. */
  keepMeasures(proposalId: string, by: string, measures: PlanMeasures): Promise<void>;
  /** Changes the status to the result of `decide`. If it throws, nothing changes. */
  decide(proposalId: string, by: string, decide: Decide): Promise<void>;
  /** Makes a proposal stale that nobody deploys. False if its deployment has begun, or if it is decided already. */
  outdate(proposalId: string, by: string): Promise<boolean>;
  /** Hashes of what programs wrote in a project, with all of its environments. */
  aiParts(rootId: string): Promise<readonly string[]>;
  /** Whether another project of the organization has this name, or is about to get it. */
  nameIsTaken(organizationId: string, projectId: string, name: string): Promise<boolean>;
}

const columns = [
  "id",
  "project_id",
  "number",
  "title",
  "version_id",
  "base_version_id",
  "from_version_id",
  "promoted_from",
  "base_deployment_id",
  "base_bundle_hash",
  "refused",
  "bundle_hash",
  "name",
  "hash",
  "author",
  "consents",
  "status",
  "created_by",
  "created_at",
  "approved_by",
  "approved_at",
] as const satisfies readonly (keyof ProposalRow)[];

/** Null if it doesn't change. */
const summaryColumns = [
  "id",
  "project_id",
  "number",
  "title",
  "version_id",
  "status",
  "hash",
  "created_at",
  "created_by",
  "approved_at",
  "approved_by",
  "base_deployment_id",
  "promoted_from",
] as const satisfies readonly (keyof ProposalRow)[];

type Decide = (proposal: ProposalRow, project: ProjectRow) => "approved" | "rejected" | null;

/** @param keptMax Proposals of a project that never went live. Older ones are deleted when another is created. */
export function createProposalStore(db: ControlDatabase, keptMax: number): ProposalStore {
  return {
    insert: (proposal) =>
      db.transaction().execute(async (trx) => {
        const project = trx.selectFrom("projects").select("id").where("id", "=", proposal.projectId).forUpdate();
        if ((await project.executeTakeFirst()) === undefined) return null;
        const versionId = await saveVersion(trx, proposal.version);
        const twin = await openTwin(trx, proposal, versionId);
        if (twin !== null) {
          if (proposal.measures !== null) await setMeasures(trx, twin, proposal.measures);
          return twin;
        }
        const { changes_made: number } = await trx
          .updateTable("projects")
          .set((eb) => ({ changes_made: eb("changes_made", "+", 1) }))
          .where("id", "=", proposal.projectId)
          .returning("changes_made")
          .executeTakeFirstOrThrow();
        await trx
          .insertInto("proposals")
          .values(insertion(proposal, versionId, number))
          .execute();
        if (proposal.written !== null) await keepAiParts(trx, proposal.written);
        const act = { personId: proposal.createdBy, projectId: proposal.projectId, subject: proposal.id };
        const promoted = proposal.promotion === null ? {} : { promotedFrom: proposal.promotion.from };
        const detail = { hash: proposal.hash, author: proposal.author, ...promoted };
        await writeAudit(trx, { ...act, action: "proposal.created", detail });
        await forgetOld(trx, proposal.projectId, keptMax);
        return proposal.id;
      }),

    get: async (proposalId) => {
      const row = await db
        .selectFrom("proposals")
        .innerJoin("blueprint_versions as version", "version.id", "proposals.version_id")
        .leftJoin("blueprint_versions as base", "base.id", "proposals.base_version_id")
        .innerJoin("projects", "projects.id", "proposals.project_id")
        .leftJoinLateral(latestDeployment, (join) => join.onTrue())
        .select([...columns, ...longColumns].map((name) => `proposals.${name}` as const))
        .select(textOf("version"))
        .select(sql<string | null>`coalesce(base.text_now, base.text)`.as("base_text"))
        .select(sql<number>`(proposals.bundle->>'format')::int`.as("format"))
        .select(["deployment.id as deployment_id", changeState.as("state")])
        .where("proposals.id", "=", proposalId)
        .executeTakeFirst();
      if (row === undefined) return null;
      const names = await namesOf(db, [row]);
      const live = await liveDeployment(db, row.project_id);
      return {
        row,
        summary: summary(row, names, live),
        format: row.format,
        text: row.text,
        baseText: row.base_text,
        rejected: row.status === "rejected" ? await rejectionOf(db, row) : null,
        deploymentId: row.deployment_id,
      };
    },

    list: async (projectId) => {
      const rows = await db
        .selectFrom("proposals")
        .innerJoin("projects", "projects.id", "proposals.project_id")
        .leftJoinLateral(latestDeployment, (join) => join.onTrue())
        .select(summaryColumns.map((name) => `proposals.${name}` as const))
        .select(changeState.as("state"))
        .where("proposals.project_id", "=", projectId)
        .orderBy("proposals.number", "desc")
        .limit(200)
        .execute();
      const names = await namesOf(db, rows);
      const live = await liveDeployment(db, projectId);
      return rows.map((row) => summary(row, names, live));
    },

    rename: (proposalId, by, title) =>
      db.transaction().execute(async (trx) => {
        const { proposal, project } = await lockProposal(trx, proposalId);
        await trx.updateTable("proposals").set({ title }).where("id", "=", proposalId).execute();
        const act = { personId: by, projectId: project.id, subject: proposalId };
        await writeAudit(trx, { ...act, action: "proposal.renamed", detail: { from: proposal.title, to: title } });
      }),

    titleOfVersion: async (versionId) => {
      const row = await db
        .selectFrom("proposals")
        .select(["number", "title"])
        .where("version_id", "=", versionId)
        .orderBy("number", "desc")
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : `#${row.number}: ${row.title}`;
    },

    keepMeasures: (proposalId, by, measures) =>
      db.transaction().execute(async (trx) => {
        const { project } = await lockProposal(trx, proposalId);
        await setMeasures(trx, proposalId, measures);
        const act = { personId: by, projectId: project.id, subject: proposalId };
        await writeAudit(trx, { ...act, action: "proposal.measured" });
      }),

    decide: (proposalId, by, decide) =>
      db.transaction().execute(async (trx) => {
        const { proposal, project } = await lockProposal(trx, proposalId);
        const status = decide(proposal, project);
        if (status === null) return;
        const approval = status === "approved" ? { approved_by: by, approved_at: new Date() } : {};
        await trx
          .updateTable("proposals")
          .set({ status, ...approval })
          .where("id", "=", proposalId)
          .execute();
        const act = { personId: by, projectId: project.id, subject: proposalId };
        // `decide` throws unless the caller has given exactly the required consents.
        const detail = { hash: proposal.hash, ...(status === "approved" ? { consents: proposal.consents } : {}) };
        await writeAudit(trx, { ...act, action: `proposal.${status}`, detail });
      }),

    outdate: (proposalId, by) =>
      db.transaction().execute(async (trx) => {
        const { project } = await lockProposal(trx, proposalId);
        const { numUpdatedRows } = await trx
          .updateTable("proposals")
          .set({ status: "stale" })
          .where("id", "=", proposalId)
          .where("status", "in", ["open", "approved"])
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom("deployments")
                  .select("id")
                  .whereRef("proposal_id", "=", "proposals.id")
                  .where("finished_at", "is", null),
              ),
            ),
          )
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        const act = { personId: by, projectId: project.id, subject: proposalId };
        await writeAudit(trx, { ...act, action: "proposal.outdated" });
        return true;
      }),

    aiParts: (rootId) => aiPartsOf(db, rootId),

    nameIsTaken: async (organizationId, projectId, name) => {
      const holder = await holderOf(db, organizationId, name);
      return holder !== null && holder !== projectId;
    },
  };
}

/** Only the audit log has it. */
async function rejectionOf(
  db: Connection,
  { id, project_id }: Pick<ProposalRow, "id" | "project_id">,
): Promise<Proposal["rejected"]> {
  const row = await db
    .selectFrom("audit")
    .innerJoin("people", "people.id", "audit.person_id")
    .select(["people.id", "people.name", "people.email", "audit.at"])
    .where("audit.project_id", "=", project_id)
    .where("audit.subject", "=", id)
    .where("audit.action", "=", "proposal.rejected")
    .orderBy("audit.id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { at, ...by } = row;
  return { by, at: at.toISOString() };
}

async function setMeasures(trx: Connection, proposalId: string, measures: PlanMeasures): Promise<void> {
  const text = JSON.stringify(measures);
  await trx.updateTable("proposals").set({ measures: text }).where("id", "=", proposalId).execute();
}

/**
 * Locks the project before the proposal. Everything that changes a project's live version takes the same lock first.
 * @throws TRPCError NOT_FOUND if the project is deleted. That may have happened since the caller was authorized.
 */
export async function lockProposal(
  trx: Connection,
  proposalId: string,
): Promise<{ proposal: ProposalRow; project: ProjectRow }> {
  const project = await trx
    .selectFrom("projects")
    .selectAll()
    .where("id", "=", (eb) => eb.selectFrom("proposals").select("project_id").where("id", "=", proposalId))
    .where("deleted_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (project === undefined) throw notFound("proposal");
  const proposal = await trx
    .selectFrom("proposals")
    .select(columns)
    .where("id", "=", proposalId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { proposal, project };
}

/** Whether another version is live than the one that the proposal was compared with. */
export function isStale(proposal: { base_deployment_id: string | null }, liveDeploymentId: string | null): boolean {
  return proposal.base_deployment_id !== liveDeploymentId;
}

interface Actors {
  readonly created_by: string;
  readonly approved_by: string | null;
}

async function namesOf(db: Connection, rows: readonly Actors[]): Promise<ReadonlyMap<string, PersonName>> {
  const ids = rows.flatMap((row) => [row.created_by, row.approved_by]).filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const people = await db.selectFrom("people").select(["id", "name", "email"]).where("id", "in", ids).execute();
  return new Map(people.map((person) => [person.id, person]));
}

async function liveDeployment(db: Connection, projectId: string): Promise<string | null> {
  const row = await db
    .selectFrom("projects")
    .select("live_deployment_id")
    .where("id", "=", projectId)
    .executeTakeFirst();
  return row?.live_deployment_id ?? null;
}

type SummaryRow = Pick<ProposalRow, (typeof summaryColumns)[number]> & { readonly state: ChangeState };

function summary(
  row: SummaryRow,
  names: ReadonlyMap<string, PersonName>,
  liveDeploymentId: string | null,
): ProposalSummary {
  const undecided = row.status === "open" || row.status === "approved";
  return {
    id: row.id,
    projectId: row.project_id,
    number: row.number,
    title: row.title,
    versionId: row.version_id,
    state: row.state,
    status: undecided && isStale(row, liveDeploymentId) ? "stale" : row.status,
    hash: row.hash,
    createdAt: row.created_at.toISOString(),
    createdBy: named(row.created_by, names),
    approvedAt: row.approved_at?.toISOString() ?? null,
    approvedBy: row.approved_by === null ? null : named(row.approved_by, names),
    promotedFrom: row.promoted_from,
  };
}

function named(id: string, names: ReadonlyMap<string, PersonName>): PersonName {
  return names.get(id) ?? { id, name: "", email: "" };
}
