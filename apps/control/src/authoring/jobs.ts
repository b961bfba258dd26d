// What a worker thread does with blueprints. In: texts and plain data. Out: plain data, large parts as JSON text, so that the
// thread that serves requests neither parses nor writes them. It reads no clock, no setting and no database.
import {
  type Author,
  type Change,
  checkBlueprint,
  type Diagnostic,
  diffModels,
  formatBlueprint,
  MODEL_VERSION,
  type Model,
  renamesOf,
} from "@plinth/blueprint";
import { hashOf, type MigrationPlan, type SetAside } from "@plinth/bundle";
import { proposeChange } from "@plinth/compiler";
import type { ModelSummary } from "../blueprints/api.ts";
import type { OperatorLimits } from "../operator-limits.ts";
import { lossesOf } from "../proposals/earlier-version.ts";
import { proposalHash } from "../proposals/hash.ts";
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

/** Of what is live: of a text that is no longer valid, what is still understood of it. */
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
  /** The text goes back to an earlier version. */
  readonly isEarlier: boolean;
  /** The project's name now. */
  readonly name: string;
  /** Null where nothing is live. */
  readonly live: (KeptLive & { readonly bundleHash: string }) | null;
  readonly setAside: readonly SetAside[];
  readonly tag: string;
  readonly limits: Limits;
}

export type Proposed =
  | { readonly kind: "invalid"; readonly diagnostics: readonly Diagnostic[] }
  /** What is live can't be compared with anything. */
  | { readonly kind: "unreadable"; readonly why: string }
  | {
      readonly kind: "proposed";
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
      /** The project's name once this is live. */
      readonly name: string;
      readonly hash: string;
    };

export function propose(asked: Proposal): Proposed {
  const { text, author, setAside, tag, limits } = asked;
  const { model, diagnostics } = checkBlueprint(text, limits);
  if (model === null || hasErrors(diagnostics)) return { kind: "invalid", diagnostics };
  const live = asked.live === null ? null : readLive(asked.live);
  if (live?.kind === "unreadable") return live;
  const name = nameAfter(asked.name, live?.model.project ?? null, model.project);
  const proposed = proposeChange({
    // A project's name is what it is called, whatever the live text says.
    before:
      live === null ? null : { ...live, model: { ...live.model, project: called(asked.name, live.model, model) } },
    after: model,
    setAside,
    tag,
    author,
  });
  const { bundle, plan, refused, consents } = proposed;
  const changes =
    live === null && name !== asked.name ? [firstName(asked.name, name), ...proposed.changes] : proposed.changes;
  const bundleText = JSON.stringify(bundle);
  const cameTo = {
    tables: bundle.tables.length,
    bundleBytes: Buffer.byteLength(bundleText),
    planBytes: Buffer.byteLength(JSON.stringify([changes, plan.steps])),
  };
  const beyond = operatorDiagnostics(cameTo, limits);
  if (beyond.length > 0) return { kind: "invalid", diagnostics: [...diagnostics, ...beyond] };
  const losses =
    asked.isEarlier && live !== null && refused.length === 0
      ? lossesOf(live.bundle.tables, bundle.tables, plan, renamesOf(live.model, model))
      : [];
  const base = asked.live?.bundleHash ?? null;
  const bound = { base, text, diff: changes, plan, refused, bundle, author, consents, losses };
  return {
    kind: "proposed",
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

/** A text that says another name than the live one renames the project; what differs of old, and is left alone, doesn't. */
function nameAfter(now: string, live: string | null, wanted: string): string {
  return wanted === live ? now : wanted;
}

/** The name before, for the comparison. */
function called(now: string, live: Model, after: Model): string {
  return after.project === live.project ? live.project : now;
}

/** Nothing is live that could know the project by the name that it was made with. */
function firstName(from: string, to: string): Change {
  const summary = `Rename the project from \`${from}\` to \`${to}\`.`;
  return { kind: "project_changed", path: "project", summary, classes: ["safe"], before: from, after: to };
}

/** What changes from one kept version to another; null where either can't be read any more. */
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

export interface Stored {
  readonly base: string | null;
  readonly text: string;
  readonly author: string;
  readonly consents: readonly string[];
  readonly losses: readonly string[];
  /** These as JSON. */
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

/** What a stored proposal really holds, to be compared with what was approved. */
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
