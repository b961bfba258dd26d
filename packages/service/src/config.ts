// Reads the configuration from environment variables. In: variables and a schema. Out: a typed configuration, or all
// problems at once. It never repeats a value (it may be a secret), and never reads the process's environment itself.
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
 * Reads the variables in the schema. An empty variable counts as absent, because `NAME= command` and most compose files
 * mean that.
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

// Zod quotes the wrong value only if a schema's author writes it into the message; these codes have texts that could
// contain a part of it.
function publicText(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return "unknown";
  return issue.message;
}
