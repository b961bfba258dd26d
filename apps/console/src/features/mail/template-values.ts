// The values that a template is looked at with, typed into fields. In: examples, and what was typed. Out: values: text as it is, anything
// else as JSON; nothing for what was left empty.

/** As a field shows it. */
export function shownValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function typedValues(
  example: Readonly<Record<string, unknown>>,
  typed: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(example).flatMap(([name, usual]) => {
      const text = typed[name] ?? "";
      if (text === "") return [];
      return [[name, typeof usual === "string" ? text : parsed(text)]];
    }),
  );
}

/** What is no JSON is sent as text: the service says what it should have been. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
