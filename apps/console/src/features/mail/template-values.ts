// The values for the preview of a template. In: examples, and the content of the fields. Out: text as it is, everything else parsed as
// JSON, without empty fields.

/** The value as the content of a field. */
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

/** Invalid JSON is sent as text, and the service reports the expected type. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
