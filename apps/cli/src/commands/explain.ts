// `plinth explain FILE OPERATION TARGET --as USER`. In: a blueprint and an operation, with users and rows of its tests or given
// as JSON. Out: whether it is allowed and by which role, or the part of each rule that denied it, with its line.
import {
  type AccessExplanation,
  type AccessQuestion,
  checkBlueprint,
  explainAccess,
  GIVEN,
  type GivenTests,
  type SeedRow,
} from "@plinth/blueprint";
import { CommandFailure, type ExitCode, messageOf } from "../failure.ts";
import { plain } from "../print-changes.ts";
import { hasErrors, printDiagnostics } from "../print-diagnostics.ts";
import { readText } from "../read-blueprint.ts";
import { type Terminal, wrap } from "../terminal.ts";

export interface ExplainOptions {
  /** A user of the tests, or `public`. */
  readonly as?: string;
  /** JSON: `{ "roles": ["user"], "email": ... }`, and fields of the profile. */
  readonly user?: string;
  /** JSON: the values of the record, instead of a row of the tests. */
  readonly record?: string;
  /** JSON: the fields of the request. */
  readonly with?: string;
  readonly json: boolean;
}

/** `target`: an entity for a create, otherwise `entity.row`, or only the entity with `--record`. */
export async function explain(
  terminal: Terminal,
  file: string,
  operation: string,
  target: string,
  options: ExplainOptions,
): Promise<ExitCode> {
  const text = await readText(file);
  const { model, diagnostics, places } = checkBlueprint(text);
  // A failing test is often the reason for this command, so test failures are no errors here.
  const standing = diagnostics.filter((one) => one.code !== "test_failed");
  if (model === null || hasErrors(standing)) {
    printDiagnostics(terminal, file, text, diagnostics);
    return 1;
  }
  const [entity = "", row] = target.split(".");
  const given = givenBy(options, entity);
  const question: AccessQuestion = {
    as: given.user === null ? (options.as ?? "public") : GIVEN,
    operation: operationCalled(operation),
    entity,
    row: given.record === null ? (row ?? null) : GIVEN,
    input: jsonOption(options.with, "--with") ?? {},
  };
  let explained: AccessExplanation;
  try {
    explained = explainAccess({ model, places }, question, given);
  } catch (error) {
    throw new CommandFailure(messageOf(error), 2, { cause: error });
  }
  if (options.json) terminal.out(JSON.stringify(explained));
  else print(terminal, file, text, explained, `${callerCalled(options, given)} ${operation} ${target}`);
  return 0;
}

/** A caller that was given as JSON has no name: it is called by its roles. */
function callerCalled({ as }: ExplainOptions, { user }: GivenTests): string {
  if (user === null) return as ?? "public";
  return user.roles.length === 0 ? "a user without roles" : `a user with ${user.roles.join(", ")}`;
}

function operationCalled(name: string): AccessQuestion["operation"] {
  if (/^(?:read|create|update|delete|restore)$|^transition:\w+$/.test(name)) return name as AccessQuestion["operation"];
  throw new CommandFailure(
    `there is no operation ${name}: read, create, update, delete, restore, transition:<name>`,
    2,
  );
}

function givenBy(options: ExplainOptions, entity: string): GivenTests {
  const user = jsonOption(options.user, "--user");
  const record = jsonOption(options.record, "--record");
  const { roles = ["user"], email = "given@example.com", ...profile } = user ?? {};
  return {
    user:
      user === null ? null : { roles: Array.isArray(roles) ? roles.map(String) : [], email: String(email), profile },
    record: record === null ? null : { entity, values: record },
  };
}

function jsonOption(text: string | undefined, name: string): SeedRow | null {
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as SeedRow;
  } catch {
    // Reported below, in the same words.
  }
  throw new CommandFailure(`${name} must be a JSON object, such as '{"status":"draft"}'`, 2);
}

/** A longer line isn't printed: the position is enough. */
const WRITTEN_MAX = 100;

function print(terminal: Terminal, file: string, text: string, explained: AccessExplanation, asked: string): void {
  const { out, paint } = terminal;
  const lines = text.split(/\r?\n/);
  const print = (line: string, indent: string): void => out(wrap(terminal, indent + line, `${indent}  `));
  out(`${paint("bold", asked)}: ${explained.allowed ? paint("green", "allowed") : paint("red", "denied")}`);
  if (explained.reason !== null) print(plain(explained.reason), "  ");
  if (explained.grants.length === 0)
    print("None of their roles has a rule for it. Without a rule, an operation is denied.", "  ");
  for (const { role, rule, allowed, unknown, culprit } of explained.grants) {
    print(`${paint("bold", role)}: ${rule}`, "  ");
    if (allowed) out(`    ${paint("green", "holds")}`);
    else if (culprit !== null) {
      const at = culprit.place?.start.line;
      const where = at === undefined ? "" : ` (${file}:${at})`;
      // The rule is printed completely above. If all of it decided, it isn't repeated.
      const said = unknown ? "is unknown: a value in it is empty" : "does not hold";
      if (culprit.text === rule) print(`${paint("red", said)}${where}`, "    ");
      else {
        const word = unknown ? "unknown, because a value in it is empty:" : "decided by";
        print(`${paint("red", word)} ${culprit.text}${where}`, "    ");
      }
      const written = at === undefined ? "" : (lines[at - 1] ?? "").trim();
      if (at !== undefined && !written.includes(culprit.text) && written.length <= WRITTEN_MAX)
        print(paint("dim", `${at} | ${written}`), "    ");
    }
  }
}
