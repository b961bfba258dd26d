// Checks modules. In: the modules and sections of a blueprint. Out: its modules in a fixed order. It reports modules
// that aren't available yet, and sections whose module is not listed.
import { didYouMean } from "@plinth/expression";
import type { Declarations } from "../declarations/declarations.ts";
import { moduleNamed } from "../declarations/foreign-words.ts";
import type { ModuleName } from "../model/model.ts";
import type { Report } from "../text/report.ts";
import type { Range } from "../text/syntax.ts";
import { sectionsNotServed } from "./unserved.ts";

export const moduleNames: readonly ModuleName[] = [
  "auth",
  "users",
  "roles",
  "organizations",
  "storage",
  "webhooks",
  "workers",
  "audit_logs",
];

export const modulesNotServed: readonly ModuleName[] = ["storage"];

/** Sections that need a module. */
const moduleOfSection: Readonly<Partial<Record<string, ModuleName>>> = {
  roles: "roles",
  auth: "auth",
  users: "users",
  storage: "storage",
  webhooks: "webhooks",
  workers: "workers",
  workflows: "workers",
  schedules: "workers",
  actions: "workers",
  work: "workers",
};

export function checkModules(declarations: Declarations, report: Report): readonly ModuleName[] {
  const listed = new Set<ModuleName>();
  for (const word of declarations.modules) {
    const name = moduleNames.find((one) => one === word.text);
    if (name === undefined) {
      const meant = moduleNames.find((one) => one === moduleNamed(word.text));
      const hint =
        meant === undefined
          ? (didYouMean(word.text, moduleNames) ?? `Known modules: ${moduleNames.join(", ")}.`)
          : `The name of this module is \`${meant}\`.`;
      report.add("unknown_module", word.range, `There is no module \`${word.text}\`.`, hint);
      // If the module is unknown, sections that need it are not reported too.
      if (meant !== undefined) listed.add(meant);
    } else if (listed.has(name)) {
      report.add("duplicate_value", word.range, `The module \`${name}\` is listed twice.`, "Remove one of them.");
    } else {
      listed.add(name);
      if (modulesNotServed.includes(name)) {
        report.add("module_not_served", word.range, `The module \`${name}\` isn't available yet and is ignored.`);
      }
    }
  }
  for (const section of declarations.sections) {
    const wanted = moduleOfSection[section.text];
    if (wanted !== undefined) requireModule(wanted, listed, `The section \`${section.text}\``, section.range, report);
    if (sectionsNotServed.includes(section.text)) {
      report.add(
        "section_not_served",
        section.range,
        `The section \`${section.text}\` isn't available yet and is ignored.`,
      );
    }
  }
  return moduleNames.filter((name) => listed.has(name));
}

export function requireModule(
  module: ModuleName,
  listed: ReadonlySet<ModuleName>,
  what: string,
  range: Range,
  report: Report,
): void {
  if (!listed.has(module)) {
    report.add("module_missing", range, `${what} needs the module \`${module}\`.`, `Add \`${module}\` to \`modules\`.`);
  }
}
