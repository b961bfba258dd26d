// All that is decided on when a blueprint is to go live. In: what is live, the model to come, what is set aside, who wrote it.
// Out: the bundle, the changes, the plan, what is refused, and the consents that are owed. It never decides who may agree.
import {
  type Author,
  type Change,
  type ConsentKind,
  diffModels,
  type Model,
  protect,
  renamesOf,
} from "@plinth/blueprint";
import type { Bundle, MigrationPlan, SetAside } from "@plinth/bundle";
import { apiChanges } from "./api-changes.ts";
import { compileModel } from "./compile.ts";
import { planMigration } from "./migration.ts";
import type { Refusal } from "./migration-step.ts";

export interface ProposedChange {
  /** Null where nothing is live yet. */
  readonly before: { readonly model: Model; readonly bundle: Bundle } | null;
  readonly after: Model;
  readonly setAside: readonly SetAside[];
  /** Becomes part of the names that dropped columns and tables are kept under. */
  readonly tag: string;
  readonly author: Author;
}

export interface Proposed {
  readonly bundle: Bundle;
  readonly changes: readonly Change[];
  readonly plan: MigrationPlan;
  readonly refused: readonly Refusal[];
  /** `<kind> <path>`, sorted: what a person must agree to by name, beyond the plan itself. */
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
  const planned = planMigration({
    before: before?.bundle.tables ?? null,
    after: bundle.tables,
    renames: renamesOf(model, after),
    setAside,
    tag,
  });
  const refused = [...planned.refused, ...unsupported(changes)];
  const touched = protect(model, after, author).map((touch) => `protected_core ${touch.path}`);
  const plan = refused.length === 0 ? planned.plan : { steps: [] };
  return { bundle, changes, plan, refused, consents: [...new Set([...changes.flatMap(owedFor), ...touched])].sort() };
}

/** What nothing can be planned for is refused with the change's own words. */
function unsupported(changes: readonly Change[]): readonly Refusal[] {
  return changes
    .filter((change) => change.classes.includes("unsupported"))
    .map(({ path, summary }) => ({ path, reason: summary }));
}

const consentKinds: readonly ConsentKind[] = ["destructive", "loosens_access", "widens_egress", "breaking"];

function owedFor({ path, classes }: Change): readonly string[] {
  return consentKinds.filter((kind) => (classes as readonly string[]).includes(kind)).map((kind) => `${kind} ${path}`);
}
