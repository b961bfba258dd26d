// Environment variables in, a typed configuration out; all that is wrong is said at once.
// Never repeats a value (it may be a secret), and never reads the process's environment itself.
import type { z } from "zod";

export class ConfigError extends Error {
  /** One line per variable: its name and what is wrong with it. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/**
 * Reads the variables that the schema names. An empty variable counts as absent, since that is what
 * `NAME= command` and most compose files mean by it.
 * @throws ConfigError
 */
export function readConfig<Schema extends z.ZodObject>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
): z.output<Schema> {
  const given: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = env[name];
    if (value !== undefined && value.trim() !== "") given[name] = value;
  }
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const name = String(issue.path[0] ?? "configuration");
    const text = issue.path.length > 0 && given[name] === undefined ? "is required" : publicText(issue);
    return `${name}: ${text}`;
  });
  throw new ConfigError([...new Set(problems)]);
}

// Zod quotes the offending value in some messages only when a schema's author writes it there; the codes below are the
// ones whose own text could carry a piece of it.
function publicText(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return "unknown";
  return issue.message;
}
