// Proposals: the effects of a new blueprint, and the decision of a member. In: a text, or a decision with the hash that was
// shown. Out: proposals. It only approves exactly the diff, plan and consents that were shown.
import type { Change } from "@plinth/blueprint";
import { newId, readStoredPlan } from "@plinth/bundle";
import type { MeasuredBody, SchemaState } from "@plinth/bundle/cell";
import type { Workshop } from "../authoring/workshop.ts";
import { readKeptLive, refuseTooLong } from "../blueprints/service.ts";
import type { BlueprintStore, NewVersion } from "../blueprints/store.ts";
import { callCell } from "../cells/call-cell.ts";
import type { Cells } from "../cells/client.ts";
import { CellRefused, CellUnavailable } from "../cells/failures.ts";
import { notFound, refuse, refuseBlueprint } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import { allows, whoMay } from "../organizations/rights.ts";
import type { Person } from "../people/auth.ts";
import { nameTaken } from "../projects/names.ts";
import type { PlanMeasures, Proposal, ProposalPreview, ProposalSummary, Timeline, TimelineFilter } from "./api.ts";
import type { Judge } from "./judge-again.ts";
import type { Promotion } from "./new-proposal.ts";
import { isStale, type ProposalRecord, type ProposalRow, type ProposalStore } from "./store.ts";
import type { TimelineStore } from "./timeline.ts";
import { TITLE_MAX, titleOf } from "./title.ts";

export interface ProposalService {
  create(by: Person, project: ProjectAccess, asked: Pick<Asked, "text" | "title" | "isByAi">): Promise<Proposal>;
  /** Prepares a proposal of this text without storing it. */
  preview(by: Person, project: ProjectAccess, text: string): Promise<ProposalPreview>;
  createFromVersion(by: Person, project: ProjectAccess, versionId: string): Promise<Proposal>;
  /** Proposes the live version of another environment of the same project. */
  createPromoted(by: Person, project: ProjectAccess, text: string, promotion: Promotion): Promise<Proposal>;
  measure(by: Person, project: ProjectAccess, proposalId: string): Promise<Proposal>;
  get(proposalId: string): Promise<Proposal>;
  list(project: ProjectAccess): Promise<readonly ProposalSummary[]>;
  timeline(project: ProjectAccess, filter: TimelineFilter): Promise<Timeline>;
  rename(by: Person, proposalId: string, title: string): Promise<Proposal>;
  approve(
    by: Person,
    project: ProjectAccess,
    proposalId: string,
    hash: string,
    consents: readonly string[],
  ): Promise<Proposal>;
  reject(by: Person, proposalId: string): Promise<Proposal>;
}

export interface ProposalServiceOptions {
  readonly store: ProposalStore;
  readonly timeline: TimelineStore;
  readonly blueprints: BlueprintStore;
  readonly cells: Cells;
  readonly workshop: Workshop;
  readonly judge: Judge;
  readonly blueprintBytesMax: number;
}

const RESERVED = `The change requires consents, which only ${whoMay("manage")} of the project can give.`;
export const STALE = "Another change has gone live since this proposal was created. Propose the change again.";

export function createProposalService(options: ProposalServiceOptions): ProposalService {
  const { store, blueprints, cells } = options;
  const get = async (proposalId: string): Promise<Proposal> => {
    const record = await store.get(proposalId);
    if (record === null) throw notFound("proposal");
    return shown(record);
  };
  const propose = async (by: Person, project: ProjectAccess, asked: Asked): Promise<Proposal> => {
    const proposal = await prepare(options, by, project, asked);
    options.judge.judged(proposal.hash);
    const id = newId("prp");
    const version = { id: newId("ver"), projectId: project.id, createdBy: by.id, ...proposal.version };
    const storedId = await store.insert({ ...proposal, id, projectId: project.id, version, createdBy: by.id });
    if (storedId === null) throw notFound("project");
    return get(storedId);
  };
  return {
    get,
    list: (project) => store.list(project.id),
    create: (by, project, asked) => propose(by, project, { ...written, ...asked }),
    preview: async (by, project, text) => {
      const { diff, plan, refused, consents, measures } = await prepare(options, by, project, { ...written, text });
      return { text, diff, plan: { steps: plan.steps, refused }, consents, measures };
    },
    timeline: (project, filter) => options.timeline.page(project.id, filter),

    rename: async (by, proposalId, title) => {
      await store.rename(proposalId, by.id, title);
      return get(proposalId);
    },

    createFromVersion: async (by, project, versionId) => {
      const version = await blueprints.get(versionId);
      if (version === null || version.projectId !== project.id) throw notFound("blueprint version");
      const earlier = await store.titleOfVersion(versionId);
      const title = earlier === null ? undefined : `Go back to ${earlier}`.slice(0, TITLE_MAX);
      return propose(by, project, { ...written, text: version.text, title, fromVersionId: versionId });
    },

    createPromoted: (by, project, text, promotion) => propose(by, project, { ...written, text, promotion }),

    measure: async (by, project, proposalId) => {
      const { status, plan, diff } = await get(proposalId);
      if (status !== "open" && status !== "approved") throw refuse("CONFLICT", `The proposal is already ${status}.`);
      if (project.live === null) throw refuse("CONFLICT", "Nothing is live yet, so there is nothing to measure.");
      await store.keepMeasures(proposalId, by.id, await callCell(cells.measure(project, measuredOf(plan.steps, diff))));
      return get(proposalId);
    },

    approve: async (by, access, proposalId, hash, consents) => {
      await options.judge.requireCurrent(by, access, proposalId);
      await store.decide(proposalId, by.id, (proposal, project) => {
        // The same person approves twice, for example by a double click. The answer is the same.
        if (proposal.status === "approved" && proposal.approved_by === by.id && proposal.hash === hash) return null;
        if (proposal.status !== "open") throw refuse("CONFLICT", `The proposal is already ${proposal.status}.`);
        if (isStale(proposal, project.live_deployment_id)) throw refuse("CONFLICT", STALE);
        if (proposal.consents.length > 0 && !allows(access.role, "manage")) throw refuse("FORBIDDEN", RESERVED);
        judgeApproval(proposal, hash, consents);
        return "approved";
      });
      return get(proposalId);
    },

    reject: async (by, proposalId) => {
      await store.decide(proposalId, by.id, (proposal) => {
        if (proposal.status === "rejected") return null;
        if (proposal.status === "open" || proposal.status === "approved") return "rejected";
        throw refuse("CONFLICT", `The proposal is already ${proposal.status}.`);
      });
      return get(proposalId);
    },
  };
}

function judgeApproval(proposal: ProposalRow, hash: string, consents: readonly string[]): void {
  if (proposal.hash !== hash) {
    throw refuse("CONFLICT", "This is not the change that was shown. Look at the proposal again.");
  }
  if (proposal.refused.length > 0) {
    const reasons = proposal.refused.map(({ path, reason }) => `${path}: ${reason}`).join("; ");
    throw refuse("PRECONDITION_FAILED", `Part of the change can't be migrated. ${reasons}`);
  }
  const given = new Set(consents);
  const missing = proposal.consents.filter((consent) => !given.has(consent));
  if (missing.length > 0) {
    throw refuse("PRECONDITION_FAILED", `The change needs a consent for each of these: ${missing.join(", ")}.`);
  }
  // A consent that isn't required may be meant for another change.
  const unknown = [...given].filter((consent) => !proposal.consents.includes(consent));
  if (unknown.length > 0) throw refuse("PRECONDITION_FAILED", `The change doesn't do this: ${unknown.join(", ")}.`);
}

interface Asked {
  readonly text: string;
  /** If there is none, the diff gives one. */
  readonly title?: string | undefined;
  /** An AI wrote it before, whoever proposes it now. */
  readonly isByAi: boolean;
  /** The earlier version of the text, if it is to be restored. */
  readonly fromVersionId: string | null;
  readonly promotion: Promotion | null;
}

const written = { isByAi: false, fromVersionId: null, promotion: null } as const;

type Prepared = Omit<Parameters<ProposalStore["insert"]>[0], "id" | "projectId" | "version" | "createdBy"> & {
  readonly version: Omit<NewVersion, "id" | "projectId" | "createdBy">;
};

const NO_SCHEMA: SchemaState = { drift: [], setAside: [] };

async function prepare(
  options: ProposalServiceOptions,
  by: Person,
  project: ProjectAccess,
  asked: Asked,
): Promise<Prepared> {
  const { text, isByAi, fromVersionId, promotion } = asked;
  // Never from the request: the credential says who wrote the text.
  const proposer = isByAi || by.isProgram === true ? "ai" : "person";
  const { environment } = project;
  refuseTooLong(text, options.blueprintBytesMax);
  const live =
    project.live === null
      ? null
      : { ...(await readKeptLive(options.blueprints, project.live)), bundleHash: project.live.bundleHash };
  const schema =
    live === null ? NO_SCHEMA : await callCell(options.cells.schema(project), { 404: () => notFound("project") });
  const result = await options.workshop.propose(
    { personId: by.id, organizationId: project.organizationId },
    {
      text,
      author: proposer,
      isEarlier: fromVersionId !== null,
      // The text contains the name of the whole project.
      name: environment.project,
      live,
      setAside: schema.setAside,
      tag: newId("prp").slice(-8),
      aiParts: await options.store.aiParts(environment.projectId),
    },
  );
  if (result.kind === "core") throw refuse("FORBIDDEN", whyNotByAi(result.touched, result.places));
  if (result.kind === "unreadable") throw refuse("PRECONDITION_FAILED", result.why);
  if (result.kind === "invalid") throw refuseBlueprint(result.diagnostics);
  refuseDrift(schema);
  if (await options.store.nameIsTaken(project.organizationId, environment.projectId, result.name)) {
    throw refuse("CONFLICT", `${nameTaken(result.name)} Choose another name for \`project\`.`);
  }
  if (proposer === "ai") refuseCore(result.consents);
  const { kind: _, version, aiParts, ...proposed } = result;
  return {
    ...proposed,
    // The project gets the new name when it is live in production, and its environments are renamed then.
    name: environment.projectId === project.id ? result.name : null,
    version: { text, ...version },
    title: asked.title ?? titleOf(result.diff, live === null),
    base: project.live,
    fromVersionId,
    promotion,
    aiParts: aiParts.places,
    // Only a program writes something new of its own; a person proposes again what one wrote.
    written: by.isProgram === true ? { rootId: environment.projectId, hashes: aiParts.hashes } : null,
    measures:
      live === null
        ? null
        : await measureIfPossible(options.cells, project, measuredOf(result.plan.steps, result.diff)),
  };
}

const DRIFT_SHOWN_MAX = 10;

/** A plan from other tables than the actual ones would fail half-way, or do something that nobody has read. */
function refuseDrift({ drift }: SchemaState): void {
  if (drift.length === 0) return;
  const shown = drift.slice(0, DRIFT_SHOWN_MAX).map(({ path, expected, found }) => {
    if (expected === null) return `${path} exists and should not`;
    return found === null ? `${path} is missing` : `${path} is \`${found}\` and should be \`${expected}\``;
  });
  const more = drift.length > DRIFT_SHOWN_MAX ? `; and ${drift.length - DRIFT_SHOWN_MAX} more` : "";
  throw refuse(
    "PRECONDITION_FAILED",
    `The project's database was changed without a deployment. Undo that first: ${shown.join("; ")}${more}.`,
  );
}

function refuseCore(consents: readonly string[]): void {
  const touched = consents.flatMap((consent) => (consent.startsWith("protected_core ") ? [consent.slice(15)] : []));
  if (touched.length === 0) return;
  throw refuse("FORBIDDEN", `Only a person can propose a change to the protected core: ${touched.join(", ")}.`);
}

function whyNotByAi(touched: readonly string[], places: readonly string[]): string {
  return `An AI wrote parts of this text that touch the protected core: ${touched.join(", ")}. Write these values yourself, or propose the rest of the change alone. The AI wrote ${places.slice(0, 10).join(", ")}.`;
}

function measuredOf(steps: MeasuredBody["steps"], changes: readonly Change[]): MeasuredBody {
  const referring = changes.flatMap(({ path, referring }) => (referring === undefined ? [] : [{ path, ...referring }]));
  const counted = changes.flatMap(({ path, counted }) => (counted === undefined ? [] : [{ path, ...counted }]));
  return { steps, referring, counted };
}

/** The plan is valid without measurements. A person can request them again. */
async function measureIfPossible(
  cells: Cells,
  project: ProjectAccess,
  measured: MeasuredBody,
): Promise<PlanMeasures | null> {
  const { steps, referring = [], counted = [] } = measured;
  if (steps.length + referring.length + counted.length === 0) return null;
  try {
    return await cells.measure(project, measured);
  } catch (error) {
    if (error instanceof CellUnavailable || error instanceof CellRefused) return null;
    throw error;
  }
}

function shown({ row, summary, format, text, baseText, rejected, deploymentId }: ProposalRecord): Proposal {
  return {
    ...summary,
    text,
    baseText,
    baseVersionId: row.base_version_id,
    diagnostics: row.diagnostics,
    diff: row.diff,
    plan: { steps: readStoredPlan(row.plan, { format }).steps, refused: row.refused },
    author: row.author,
    aiParts: row.ai_parts,
    consents: row.consents,
    fromVersionId: row.from_version_id,
    losses: row.losses,
    measures: row.measures,
    rejected,
    deploymentId,
  };
}
