// Identifiers with a prefix. Out: `prj_3k9...`; the prefix is the type, in the code and on the wire.
import { randomInt } from "node:crypto";

declare const brand: unique symbol;
type Id<Prefix extends string> = `${Prefix}_${string}` & { readonly [brand]?: Prefix };

export type ProjectId = Id<"prj">;
export type ReleaseId = Id<"rel">;
export type KeyId = Id<"key">;
export type ProposalId = Id<"prp">;
export type DeploymentId = Id<"dep">;
export type OrganizationId = Id<"org">;

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

/** A new random identifier: the prefix, `_`, and 20 characters of [0-9a-z] (103 bits). */
export function newId<Prefix extends string>(prefix: Prefix): `${Prefix}_${string}` {
  let text = "";
  for (let i = 0; i < 20; i++) text += alphabet[randomInt(alphabet.length)];
  return `${prefix}_${text}`;
}

/** Whether a text is a project id, and so can be part of a schema's name. */
export function isProjectId(text: string): text is ProjectId {
  return /^prj_[0-9a-z]{20}$/.test(text);
}
