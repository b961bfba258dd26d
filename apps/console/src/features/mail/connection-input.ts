// In: a connector and what was typed into its form. Out: what control is sent: numbers as numbers, nothing for what was left empty.
import type { ConnectorManifest } from "@plinth/connectors/manifests";

interface ConnectionInput {
  readonly name: string;
  readonly settings: Record<string, string | number>;
}

export function connectionInput({ fields }: ConnectorManifest, form: FormData): ConnectionInput {
  const settings: Record<string, string | number> = {};
  for (const { name, type } of fields) {
    const typed = String(form.get(`settings.${name}`) ?? "").trim();
    if (typed !== "") settings[name] = type.kind === "integer" ? Number(typed) : typed;
  }
  return { name: String(form.get("name") ?? "").trim(), settings };
}
