// The shape of one kind of diagnostic, and what its examples share.

export type Severity = "error" | "warning";

/** `wrong` earns this diagnostic beside what `right` earns, and nothing else; `right` has no error and not this. */
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

/** A blueprint with a listing; `fields` are added to it. */
export function listing(fields: string): string {
  return `${head}entities:\n  listing:\n    fields:\n      title: string\n${indent(fields, 6)}`;
}

/** A listing whose `public` may read it by this rule, written behind `read:`. */
export function readRule(rule: string): string {
  return publicRule("read", rule);
}

export function publicRule(operation: string, rule: string): string {
  const fields = "status: enum[draft, active] = draft\nprice: int\npublished: bool\nseller_id: ref(seller)";
  const permissions = `    permissions:\n      public:\n        ${operation}: ${rule}\n`;
  return `${listing(fields)}${permissions}  seller:\n    fields:\n      name: string\n`;
}

/** Lines at the top level, behind a project with a listing. */
export function topLevel(lines: string): string {
  return `${listing("")}${indent(lines, 0)}`;
}

function indent(lines: string, by: number): string {
  return lines === "" ? "" : lines.replace(/^(?=.)/gm, " ".repeat(by)).replace(/\n*$/, "\n");
}
