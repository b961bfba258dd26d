// The shape of one kind of diagnostic, and the shared parts of its examples.

export type Severity = "error" | "warning";

/**
 * `wrong` causes this diagnostic in addition to those of `right`, and no others; `right` has no error and doesn't cause
 * it.
 */
export interface DiagnosticKind {
  readonly severity: Severity;
  readonly title: string;
  readonly wrong: string;
  readonly right: string;
}

export function error(title: string, wrong: string, right: string): DiagnosticKind {
  return { severity: "error", title, wrong, right };
}

export function warning(title: string, wrong: string, right: string): DiagnosticKind {
  return { severity: "warning", title, wrong, right };
}

const head = "project: demo\nmodules: [auth, users, roles, audit_logs]\n";

/** A blueprint with a listing, with these additional `fields`. */
export function listing(fields: string): string {
  return `${head}entities:\n  listing:\n    fields:\n      title: string\n${indent(fields, 6)}`;
}

/** A listing that `public` can read by this rule, which follows `read:`. */
export function readRule(rule: string): string {
  return publicRule("read", rule);
}

export function publicRule(operation: string, rule: string): string {
  const fields = "status: enum[draft, active] = draft\nprice: int\npublished: bool\nseller_id: ref(seller)";
  const permissions = `    permissions:\n      public:\n        ${operation}: ${rule}\n`;
  return `${listing(fields)}${permissions}  seller:\n    fields:\n      name: string\n`;
}

/** Lines at the top level, after a project with a listing. */
export function topLevel(lines: string): string {
  return `${listing("")}${indent(lines, 0)}`;
}

function indent(lines: string, by: number): string {
  return lines === "" ? "" : lines.replace(/^(?=.)/gm, " ".repeat(by)).replace(/\n*$/, "\n");
}
