// Checks the options of an entity that concern it as a whole. In: its declaration. Out: the options with their
// defaults.
import type { EntityDeclaration } from "../../declarations/declarations.ts";
import type { Entity, ModuleName } from "../../model/model.ts";
import type { Report } from "../../text/report.ts";
import type { Word } from "../../text/syntax.ts";
import { requireModule } from "../modules.ts";
import { readRetention } from "../retention.ts";
import { checkWriting } from "../writing.ts";
import type { EntityDraft } from "./entity-draft.ts";

export type CheckedOptions = Pick<
  Entity,
  "orgField" | "softDelete" | "retentionDays" | "audit" | "realtime" | "requireVersion" | "label" | "help"
>;

export function checkOptions(
  { options }: EntityDeclaration,
  fields: EntityDraft["fields"],
  modules: ReadonlySet<ModuleName>,
  report: Report,
): CheckedOptions {
  const { orgScoped, softDelete, realtime, requireVersion } = options;
  const scoped = orgScoped?.value === true;
  if (scoped) {
    requireModule("organizations", modules, "`org_scoped`", orgScoped.range, report);
    refuseOrgField(fields, report);
  }
  for (const word of [options.label, options.help]) if (word !== null) checkWriting(word, "invalid_option", report);
  return {
    orgField: scoped ? "org_id" : null,
    softDelete: softDelete?.value === true,
    retentionDays: options.retention === null ? null : readRetention(options.retention, report),
    audit: options.audit === null ? "writes" : auditOf(options.audit, report),
    realtime: realtime?.value === true,
    ...(requireVersion?.value === true && { requireVersion: true as const }),
    label: options.label?.text ?? null,
    help: options.help?.text ?? null,
  };
}

/** A declared `org_id` replaces the implicit one, so it must have the same meaning. */
function refuseOrgField(fields: EntityDraft["fields"], report: Report): void {
  const own = fields.find((one) => one.field.name === "org_id");
  if (own === undefined || (own.field.type.kind === "org_ref" && !own.field.optional)) return;
  report.add(
    "invalid_field",
    own.declared.name.range,
    "In an `org_scoped` entity, `org_id` holds the organization of each record.",
    "Write `org_id: org_ref = current_org`, or remove the field.",
  );
}

function auditOf({ text, range }: Word, report: Report): "writes" | "all" {
  if (text === "writes" || text === "all") return text;
  const hint = "Use `writes` (the default), or `all` to put reads into the audit log too.";
  report.add("invalid_option", range, `\`${text.slice(0, 40)}\` is not a valid value for \`audit\`.`, hint);
  return "writes";
}
