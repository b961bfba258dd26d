// Prepares a proposal. In: the live version, the new model, what is set aside, and the author. Out: the bundle, the
// changes, the plan, the refused changes, and the required consents. It never decides who can consent.
import {
  type Author,
  type Change,
  type ConsentKind,
  diffModels,
  type Model,
  protect,
  renamesOf,
  type Touch,
} from "@plinth/blueprint";
import type { Bundle, MigrationPlan, SetAside } from "@plinth/bundle";
import { compileModel } from "./compile.ts";
import { apiChanges } from "./contract/api-changes.ts";
import { fillsOf } from "./migration/fills.ts";
import { newFormsOf } from "./migration/forms.ts";
import { linksOf } from "./migration/links.ts";
import { planMigration } from "./migration/migration.ts";
import type { Refusal } from "./migration/migration-step.ts";
import { numbersOf } from "./migration/numbers.ts";

export interface ProposedChange {
  /** Null if nothing is live yet. */
  readonly before: { readonly model: Model; readonly bundle: Bundle } | null;
  readonly after: Model;
  readonly setAside: readonly SetAside[];
  /** Part of the names under which dropped columns and tables are kept. */
  readonly tag: string;
  readonly author: Author;
}

export interface Proposed {
  readonly bundle: Bundle;
  readonly changes: readonly Change[];
  readonly plan: MigrationPlan;
  readonly refused: readonly Refusal[];
  /** `<kind> <path>`, sorted: what a person must consent to by name, in addition to the plan itself. */
  readonly consents: readonly string[];
}

export function proposeChange({ before, after, setAside, tag, author }: ProposedChange): Proposed {
  const bundle = compileModel(after);
  const model = before?.model ?? null;
  const modelChanges = diffModels(model, after);
  const contract =
    before === null
      ? []
      : apiChanges(
          { model: before.model, openapi: before.bundle.openapi },
          { model: after, openapi: bundle.openapi },
          modelChanges,
        );
  const changes = [...modelChanges, ...contract];
  const renames = renamesOf(model, after);
  const planned = planMigration({
    before: before?.bundle.tables ?? null,
    after: bundle.tables,
    renames,
    setAside,
    tag,
    forms: newFormsOf(model, after, renames),
    fills: fillsOf(model, after, renames),
    numbers: numbersOf(after),
    links: linksOf(model, after),
  });
  const touches = protect(model, after, author, modelChanges);
  const refused = [...planned.refused, ...unsupported(changes), ...touches.flatMap(refusedTouch)];
  const plan = refused.length === 0 ? planned.plan : { steps: [] };
  const core = before === null ? [] : touches.map(({ path }) => `protected_core ${path}`);
  const consents = [
    ...changes.flatMap((change) => consentsFor(change, before === null ? firstConsents : laterConsents)),
    ...core,
  ];
  return { bundle, changes, plan, refused, consents: [...new Set(consents)].sort() };
}

/** A change without a possible migration is refused with its own summary. */
function unsupported(changes: readonly Change[]): readonly Refusal[] {
  return changes
    .filter((change) => change.classes.includes("unsupported"))
    .map(({ path, summary }) => ({ path, reason: summary }));
}

/** The consent is listed anyway, so that the caller sees what is affected; there is no plan. */
function refusedTouch({ path, summary, outcome }: Touch): readonly Refusal[] {
  return outcome === "refused" ? [{ path, reason: `${summary} Only a person can propose that.` }] : [];
}

/** If nothing is live, nothing can be lost, exposed or broken. But data can leave the project from now on. */
const firstConsents: readonly ConsentKind[] = ["widens_egress"];
const laterConsents: readonly ConsentKind[] = ["destructive", "loosens_access", "widens_egress", "breaking"];

function consentsFor({ path, classes }: Change, kinds: readonly ConsentKind[]): readonly string[] {
  return kinds.filter((kind) => (classes as readonly string[]).includes(kind)).map((kind) => `${kind} ${path}`);
}
