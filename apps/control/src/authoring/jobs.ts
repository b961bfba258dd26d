// The jobs of worker threads on blueprints. In: texts and plain data. Out: plain data, with large parts as JSON text, so that the
// thread that serves requests neither parses nor writes them. It reads no clock, no settings and no database.
import {
  type Author,
  type Change,
  checkBlueprint,
  conflictsOf,
  type Diagnostic,
  diffModels,
  formatBlueprint,
  joinPieces,
  MODEL_VERSION,
  type Model,
  mergeTexts,
  renamesOf,
} from "@plinth/blueprint";
import { hashOf, type MigrationPlan, type SetAside } from "@plinth/bundle";
import { proposeChange } from "@plinth/compiler";
import type { ModelSummary } from "../blueprints/api.ts";
import type { OperatorLimits } from "../operator-limits.ts";
import { lossesOf } from "../proposals/earlier-version.ts";
import { proposalHash } from "../proposals/hash.ts";
import { type AiParts, aiPartsOf, touchesByAi } from "./ai-parts.ts";
import {
  type KeptLive,
  type KeptModel,
  type ModelToKeep,
  modelToKeep,
  readLive,
  readLiveDraft,
  type StoredModel,
  storedForm,
} from "./live-model.ts";
import { type LiveShape, shapeOf, summarize } from "./live-shape.ts";
import { operatorDiagnostics } from "./operator-diagnostics.ts";

export type Limits = Pick<OperatorLimits, "api" | "callMsMax" | "tablesMax" | "bundleBytesMax" | "planBytesMax">;

export interface Validated {
  readonly diagnostics: readonly Diagnostic[];
  readonly model: ModelSummary | null;
}

export function validate({ text, limits }: { readonly text: string; readonly limits: Limits }): Validated {
  const { model, diagnostics } = checkBlueprint(text, limits);
  return { diagnostics, model: model === null || hasErrors(diagnostics) ? null : summarize(model) };
}

export function format({ text }: { readonly text: string }): ReturnType<typeof formatBlueprint> {
  return formatBlueprint(text);
}

export type Shaped =
  | { readonly kind: "shape"; readonly shape: LiveShape }
  | { readonly kind: "unreadable"; readonly why: string };

/** The shape of the live version. If its text is no longer valid, the parts that can still be read. */
export function shape(live: KeptLive): Shaped {
  const model = readLiveDraft(live.kept);
  if (model !== null) return { kind: "shape", shape: shapeOf(model) };
  const read = readLive(live);
  return read.kind === "unreadable" ? read : { kind: "shape", shape: shapeOf(read.model) };
}

export function model(kept: KeptModel): ModelToKeep | null {
  return modelToKeep(kept);
}

export function modelVersion(): number {
  return MODEL_VERSION;
}

export interface Proposal {
  readonly text: string;
  readonly author: Author;
  /** The text returns to an earlier version. */
  readonly isEarlier: boolean;
  /** The current name of the project. */
  readonly name: string;
  /** Null if nothing is live. */
  readonly live: (KeptLive & { readonly bundleHash: string }) | null;
  readonly setAside: readonly SetAside[];
  readonly tag: string;
  /** Hashes of the parts that programs have written in this project. */
  readonly aiParts: readonly string[];
  readonly limits: Limits;
}

export type Proposed =
  | { readonly kind: "invalid"; readonly diagnostics: readonly Diagnostic[] }
  /** The live version can't be compared with anything. */
  | { readonly kind: "unreadable"; readonly why: string }
  /** Parts that an AI wrote touch the protected core. */
  | { readonly kind: "core"; readonly touched: readonly string[]; readonly places: readonly string[] }
  | {
      readonly kind: "proposed";
      readonly author: Author;
      readonly aiParts: AiParts;
      readonly version: StoredModel & { readonly hash: string; readonly modelHash: string };
      readonly diagnostics: readonly Diagnostic[];
      readonly diff: readonly Change[];
      readonly plan: MigrationPlan;
      readonly refused: readonly { readonly path: string; readonly reason: string }[];
      /** As JSON. */
      readonly bundle: string;
      readonly bundleHash: string;
      readonly consents: readonly string[];
      readonly losses: readonly string[];
      /** The project's name after this is live. */
      readonly name: string;
      readonly hash: string;
    };

export type Judgement = Pick<Proposal, "text" | "name" | "limits"> & { readonly live: KeptLive | null };

export type Judged =
  | Exclude<Proposed, { readonly kind: "proposed" | "core" }>
  | { readonly kind: "judged"; readonly consents: readonly string[] };

/** The consents that a stored proposal needs by today's rules. They don't depend on what is set aside. */
export function judge(judgement: Judgement): Judged {
  const { text, limits } = judgement;
  const read = readBoth(text, judgement.live, limits);
  if (read.kind !== "both") return read;
  const { live, model } = read;
  const before = live === null ? null : inName(judgement.name, live, model);
  // An AI's part in it was judged when it was proposed. If that finds more by now, a renewal refuses it.
  const proposed = proposeChange({ before, after: model, setAside: [], tag: "", author: "person" });
  return { kind: "judged", consents: proposed.consents };
}

type Both = {
  readonly kind: "both";
  readonly live: Extract<ReturnType<typeof readLive>, { kind: "live" }> | null;
  readonly model: Model;
  readonly diagnostics: readonly Diagnostic[];
};

function readBoth(
  text: string,
  kept: KeptLive | null,
  limits: Limits,
): Both | Exclude<Proposed, { readonly kind: "proposed" | "core" }> {
  const { model, diagnostics } = checkBlueprint(text, limits);
  if (model === null || hasErrors(diagnostics)) return { kind: "invalid", diagnostics };
  const live = kept === null ? null : readLive(kept);
  if (live?.kind === "unreadable") return live;
  return { kind: "both", live, model, diagnostics };
}

/** The project's current name is used, even if the live text contains another. */
function inName(name: string, live: NonNullable<Both["live"]>, after: Model): NonNullable<Both["live"]> {
  return { ...live, model: { ...live.model, project: called(name, live.model, after) } };
}

export function propose(proposal: Proposal): Proposed {
  const { text, setAside, tag, limits } = proposal;
  const read = readBoth(text, proposal.live, limits);
  if (read.kind !== "both") return read;
  const { live, model, diagnostics } = read;
  const name = nameAfter(proposal.name, live?.model.project ?? null, model.project);
  const before = live === null ? null : inName(proposal.name, live, model);
  const known = new Set(proposal.aiParts);
  const compared = {
    live: before === null || proposal.live === null ? null : { text: proposal.live.kept.text, model: before.model },
    text,
    model,
  };
  const isByAi = proposal.author === "ai";
  const aiParts = aiPartsOf(compared, isByAi ? "all" : known);
  if (!isByAi && aiParts.places.length > 0) {
    const touched = touchesByAi(compared, known, (one) => checkBlueprint(one, limits).model).map(({ path }) => path);
    if (touched.length > 0) return { kind: "core", touched, places: aiParts.places };
  }
  const author = isByAi || aiParts.places.length > 0 ? "ai" : "person";
  // A person can give the consents for their own parts.
  const proposed = proposeChange({ before, after: model, setAside, tag, author: proposal.author });
  const { bundle, plan, refused, consents } = proposed;
  const changes =
    live === null && name !== proposal.name ? [firstName(proposal.name, name), ...proposed.changes] : proposed.changes;
  const bundleText = JSON.stringify(bundle);
  const cameTo = {
    tables: bundle.tables.length,
    bundleBytes: Buffer.byteLength(bundleText),
    planBytes: Buffer.byteLength(JSON.stringify([changes, plan.steps])),
  };
  const beyond = operatorDiagnostics(cameTo, limits);
  if (beyond.length > 0) return { kind: "invalid", diagnostics: [...diagnostics, ...beyond] };
  const losses =
    proposal.isEarlier && live !== null && refused.length === 0
      ? lossesOf(live.bundle.tables, bundle.tables, plan, renamesOf(live.model, model))
      : [];
  const base = proposal.live?.bundleHash ?? null;
  const bound = { base, text, diff: changes, plan, refused, bundle, author, consents, losses };
  return {
    kind: "proposed",
    author,
    aiParts,
    version: { hash: hashOf(text), modelHash: hashOf(model), ...storedForm(model) },
    diagnostics,
    diff: changes,
    plan,
    refused,
    bundle: bundleText,
    bundleHash: hashOf(bundle),
    consents,
    losses,
    name,
    hash: proposalHash(bound),
  };
}

/**
 * A text that changes the name of the live text renames the project. An older difference that the change doesn't touch has no
 * effect.
 */
function nameAfter(now: string, live: string | null, wanted: string): string {
  return wanted === live ? now : wanted;
}

/** The previous name, for the comparison. */
function called(now: string, live: Model, after: Model): string {
  return after.project === live.project ? live.project : now;
}

/** Nothing is live that could know the project by its first name. */
function firstName(from: string, to: string): Change {
  const summary = `Rename the project from \`${from}\` to \`${to}\`.`;
  return { kind: "project_changed", path: "project", summary, classes: ["safe"], before: from, after: to };
}

/** The changes from one kept version to another. Null if one of them can no longer be read. */
export function difference({
  before,
  after,
}: {
  readonly before: KeptModel;
  readonly after: KeptModel;
}): readonly Change[] | null {
  const [from, to] = [readLiveDraft(before), readLiveDraft(after)];
  return from === null || to === null ? null : diffModels(from, to);
}

export interface ThreeTexts {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/** The changes of both sides in one text. Null if both changed the same lines differently. */
export function merge({ base, mine, theirs }: ThreeTexts): string | null {
  const pieces = mergeTexts(base, mine, theirs);
  return conflictsOf(pieces).length === 0 ? joinPieces(pieces, []) : null;
}

export interface Stored {
  readonly base: string | null;
  readonly text: string;
  readonly author: string;
  readonly consents: readonly string[];
  readonly losses: readonly string[];
  /** The same as JSON. */
  readonly diff: string;
  readonly plan: string;
  readonly refused: string;
  readonly bundle: string;
}

export interface Fingerprint {
  readonly hash: string;
  readonly planHash: string;
  readonly bundleHash: string;
}

/** The actual content of a stored proposal, for a comparison with what was approved. */
export function fingerprint(stored: Stored): Fingerprint {
  const plan: unknown = JSON.parse(stored.plan);
  const bundle: unknown = JSON.parse(stored.bundle);
  const { base, text, author, consents, losses } = stored;
  const hash = proposalHash({
    base,
    text,
    diff: JSON.parse(stored.diff),
    plan,
    refused: JSON.parse(stored.refused),
    bundle,
    author,
    consents,
    losses,
  });
  return { hash, planHash: hashOf(plan), bundleHash: hashOf(bundle) };
}

function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}
