// A first request to a project's API, ready to paste. In: where the API is, the project, an entity, a key. Out: text.
// The key may be a shell variable's name; a real key stands here only where it is shown anyway.

export interface SnippetTarget {
  readonly apiUrl: string;
  /** With its environment, where that is not production: `parcel-desk--preview`. */
  readonly project: string;
  /** Singular, as the SDK names it. */
  readonly entity: string;
  /** Plural, as the address names it. */
  readonly plural: string;
  /** Null: `PLINTH_KEY` of the environment. */
  readonly key: string | null;
}

export function curlSnippet({ apiUrl, plural, key }: SnippetTarget): string {
  const credential = key === null ? `"Authorization: Bearer $PLINTH_KEY"` : shellQuoted(`Authorization: Bearer ${key}`);
  return `curl ${shellQuoted(`${trimmed(apiUrl)}/v1/resources/${plural}`)} \\\n  -H ${credential}`;
}

export function sdkSnippet({ apiUrl, project, entity, plural, key }: SnippetTarget): string {
  const [name, environment] = project.split("--");
  const records = plural.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return [
    `import { createClient } from "@plinth/sdk";`,
    "",
    "const db = createClient({",
    `  project: ${JSON.stringify(name)},`,
    ...(environment === undefined ? [] : [`  environment: ${JSON.stringify(environment)},`]),
    `  apiKey: ${key === null ? "process.env.PLINTH_KEY" : JSON.stringify(key)},`,
    `  baseUrl: ${JSON.stringify(trimmed(apiUrl))},`,
    "});",
    "",
    `const ${records} = await db.entity(${JSON.stringify(entity)}).findMany();`,
  ].join("\n");
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, "");
}

/** Quoted so that no POSIX shell reads anything in it. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
