// The input of the request that sets a connection. In: a connector and the content of its form. Out: numbers as numbers, without empty fields.
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
