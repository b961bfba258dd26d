// Checks only entities, for the tests of this folder. In: lines under `entities:`. Out: the checked entities and the
// diagnostics. It never reads permissions, users or other sections.
import type { PermissionDeclaration } from "../../declarations/declarations.ts";
import { readEntity } from "../../declarations/read-entity.ts";
import type { Entity, Field, ModuleName } from "../../model/model.ts";
import { parseSyntax } from "../../text/parse.ts";
import { createReport } from "../../text/report.ts";
import { entryOf } from "../../text/syntax.ts";
import { checkEntities } from "../entities/entities.ts";
import { moduleNames } from "../modules.ts";

export type Checked = Omit<Entity, "permissions">;

interface Result {
  readonly entities: readonly Checked[];
  /** `line:column code: message` of each diagnostic. */
  readonly found: readonly string[];
  readonly codes: readonly string[];
}

/** Checks the lines under `entities:` only. */
export function check(lines: string, modules: readonly ModuleName[] = moduleNames): Result {
  return checkText(`entities:\n${lines.replace(/^(?=.)/gm, "  ")}`, modules);
}

/** The same for a whole text; sections other than `entities` are ignored. */
export function checkText(text: string, modules: readonly ModuleName[] = moduleNames): Result {
  const report = createReport(text);
  const root = parseSyntax(text, report);
  const entries = root?.kind === "map" ? entryOf(root, "entities") : undefined;
  const permissions: PermissionDeclaration[] = [];
  const declared =
    entries?.value.kind === "map"
      ? entries.value.entries.flatMap((entry) => readEntity({ source: text, report }, entry, permissions))
      : [];
  const entities = checkEntities(declared, {
    modules: new Set(modules),
    userFields: [],
    named: { rules: new Map(), rulesUsed: new Set() },
    report,
  }).map((one) => one.entity);
  const diagnostics = report.diagnostics();
  return {
    entities,
    found: diagnostics.map(({ code, message, span }) => `${span.start.line}:${span.start.column} ${code}: ${message}`),
    codes: diagnostics.map((one) => one.code),
  };
}

export function entities(lines: string): readonly Checked[] {
  const { entities: all, found } = check(lines);
  if (found.length > 0) throw new Error(found.join("\n"));
  return all;
}

export function entity(lines: string, name: string): Checked {
  const one = entities(lines).find((other) => other.name === name);
  if (one === undefined) throw new Error(`no entity ${name}`);
  return one;
}

const around = "title: string\n      price: int\n      sold_at: datetime?\n";
const others = "\nseller:\n  name: string\n";

/** A listing with this field, a title, a price and a time; `options` belong to the entity. */
export function listing(field: string, options = ""): string {
  return `listing:\n    fields:\n      ${around}      ${field}\n${options}`.replace(/^ {2}/gm, "") + others;
}

export function field(notation: string): Field {
  const found = entity(listing(`it: ${notation}`), "listing").fields.find((one) => one.name === "it");
  if (found === undefined) throw new Error("the field is left out");
  return found;
}

export function codes(notation: string): readonly string[] {
  return check(listing(`it: ${notation}`)).codes;
}
