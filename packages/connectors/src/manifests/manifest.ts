// Describes a connector as data: the settings of a connection, which of them are secret, what it does, and which hosts
// it calls. Types, and the check of a connection's values.

export interface ConnectorManifest {
  /** The value of `provider` in a blueprint. */
  readonly provider: string;
  /** The value of `kind` in a blueprint. */
  readonly kind: string;
  readonly label: string;
  readonly help: string;
  readonly fields: readonly ConnectionField[];
  readonly actions: readonly ConnectorAction[];
  /** Hosts that it calls; `field` names the setting with the host, if the author of a connection chooses it. */
  readonly hosts: readonly ({ readonly host: string } | { readonly field: string })[];
}

export interface ConnectionField {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly type:
    | { readonly kind: "text"; readonly lengthMax: number; readonly pattern?: string }
    | { readonly kind: "integer"; readonly min: number; readonly max: number }
    | { readonly kind: "choice"; readonly of: readonly string[] };
  readonly required: boolean;
  readonly fallback: string | number | null;
  /** Stored encrypted and never shown again. */
  readonly secret: boolean;
}

export interface ConnectorAction {
  readonly name: string;
  readonly help: string;
  readonly input: readonly ActionValue[];
  readonly output: readonly ActionValue[];
}

export interface ActionValue {
  readonly name: string;
  readonly type: "text" | "address" | "addresses" | "values";
  readonly required: boolean;
  readonly help: string;
}

export type ConnectionValues = Readonly<Record<string, string | number>>;

export interface ConnectionProblem {
  readonly field: string;
  readonly message: string;
}

export interface ReadConnection {
  readonly settings: ConnectionValues;
  readonly secrets: ConnectionValues;
}

/** Splits a person's input into settings and secrets, or returns all problems. */
export function readConnection(
  { fields, label }: ConnectorManifest,
  given: Readonly<Record<string, unknown>>,
): ReadConnection | readonly ConnectionProblem[] {
  const known = new Set(fields.map(({ name }) => name));
  const problems: ConnectionProblem[] = Object.keys(given)
    .filter((name) => !known.has(name))
    .map((field) => ({ field, message: `${label} has no such setting.` }));
  const settings: Record<string, string | number> = {};
  const secrets: Record<string, string | number> = {};
  for (const field of fields) {
    const raw = given[field.name];
    const value = raw === undefined || raw === null || raw === "" ? field.fallback : raw;
    if (value === null) {
      if (field.required) problems.push({ field: field.name, message: "This setting is required." });
      continue;
    }
    const message = problemOf(field, value);
    if (message !== null) problems.push({ field: field.name, message });
    else (field.secret ? secrets : settings)[field.name] = value as string | number;
  }
  return problems.length > 0 ? problems : { settings, secrets };
}

function problemOf({ type }: ConnectionField, value: unknown): string | null {
  switch (type.kind) {
    case "integer":
      return Number.isInteger(value) && (value as number) >= type.min && (value as number) <= type.max
        ? null
        : `This must be a whole number from ${type.min} to ${type.max}.`;
    case "choice":
      return type.of.includes(value as string) ? null : `This must be one of ${type.of.join(", ")}.`;
    case "text":
      if (typeof value !== "string") return "This must be a text.";
      if (value.length > type.lengthMax) return `This can have at most ${type.lengthMax} characters.`;
      // A line break would end a header or a command.
      if (/\p{Cc}/u.test(value)) return "This contains a character that can't be sent.";
      return type.pattern === undefined || new RegExp(type.pattern, "u").test(value)
        ? null
        : "This is not in the right format.";
  }
}
