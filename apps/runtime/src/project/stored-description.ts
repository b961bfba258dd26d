// The stored description of a release: its OpenAPI document and its SDK types, each compressed once. In: a bundle. Out:
// the bytes that answer requests. It never parses what it stores.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { ClientBase, Pool } from "pg";

export interface StoredDescription {
  readonly openapi: Buffer;
  readonly sdkTypes: Buffer;
}

export type DescriptionPart = keyof StoredDescription;

interface Texts {
  readonly openapi: string;
  readonly sdkTypes: string;
}

const compressed = promisify(gzip);

const STORE = `INSERT INTO plinth.descriptions (release_id, openapi, sdk_types)
  SELECT id, $2, $3 FROM plinth.releases WHERE id = $1 AND status <> 'superseded' ON CONFLICT DO NOTHING`;

/** In one of Node's own threads. */
export async function packed({ openapi, sdkTypes }: Texts): Promise<StoredDescription> {
  const [document, types] = await Promise.all([compressed(openapi), compressed(sdkTypes)]);
  return { openapi: document, sdkTypes: types };
}

/** Keeps an already stored description, and stores none for a release that is over. */
export async function storeDescription(
  client: Pick<ClientBase | Pool, "query">,
  releaseId: string,
  { openapi, sdkTypes }: StoredDescription,
): Promise<void> {
  await client.query(STORE, [releaseId, openapi, sdkTypes]);
}

/** Its unpacked length, which gzip writes at the end (RFC 1952, 2.3.1); correct up to 4 GiB. */
export function unpackedLength(part: Buffer): number {
  return part.readUInt32LE(part.length - 4);
}
