// What the handlers of /v1/organizations share: their type, what they are given, an answer without a body.
import { Fault } from "@plinth/service";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { ChangeOptions } from "./changes.ts";

export interface OrganizationRoutesOptions extends ChangeOptions {
  /** UUID v7. */
  readonly newId: () => string;
}

/** The ids in the path, in their order and in lower case. */
export type Ids = readonly string[];

export type Handler = (options: OrganizationRoutesOptions, context: ModuleContext, ids: Ids) => Promise<Reply>;

export const gone: Reply = { status: 204, headers: { "cache-control": "no-store" }, body: null };

export function refuseBody({ incoming }: ModuleContext): void {
  if (incoming.body !== null) throw new Fault("bad_request", { detail: "This route takes no body." });
}
