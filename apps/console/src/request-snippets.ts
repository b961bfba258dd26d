// A first request to a project's API, ready to paste. In: the address of the API, the project, an entity, a key. Out: text. Without a key,
// the text has the name of a variable; a real key is only given if the page shows it anyway.

export interface SnippetTarget {
  readonly apiUrl: string;
  /** With the environment if it is not production: `parcel-desk--preview`. */
  readonly project: string;
  /** Singular, for the SDK. */
  readonly entity: string;
  /** Plural, for the address. */
  readonly plural: string;
  /** Null to use the variable `PLINTH_KEY`. */
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

/** Quoted so that a POSIX shell interprets nothing in it. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
