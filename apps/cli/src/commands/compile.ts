// `plinth compile FILE --out DIR`. In: a blueprint. Out: bundle.json, schema.sql, openapi.json and sdk.d.ts. It writes nothing if
// the blueprint has errors.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compileModel, schemaSql } from "@plinth/compiler";
import type { ExitCode } from "../failure.ts";
import { checkFile } from "../read-blueprint.ts";
import type { Terminal } from "../terminal.ts";

export async function compile(terminal: Terminal, file: string, options: { readonly out: string }): Promise<ExitCode> {
  const model = await checkFile(terminal, file);
  if (model === null) return 1;
  const bundle = compileModel(model);
  const files = {
    "bundle.json": json(bundle),
    "schema.sql": schemaSql(bundle),
    "openapi.json": json(bundle.openapi),
    "sdk.d.ts": bundle.sdkTypes,
  };
  await mkdir(options.out, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(options.out, name), text);
  terminal.out(`wrote ${Object.keys(files).join(", ")} to ${options.out}`);
  return 0;
}

function json(data: unknown): string {
  return `${JSON.stringify(data, null, 2)}\n`;
}
