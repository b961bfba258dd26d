// A module's change of users or organizations: the write, its row in the audit log and, if somebody listens, its
// events, in one statement. In: an open transaction, the caller, and the change as SQL. Out: the statement's result. An
// event contains the values that the entity's fields show to the service, and so never a password, a token, or a hash
// of one.
import type { TenantTransaction } from "@plinth/postgres";
import type { ModuleContext } from "../http/contracts.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Principal } from "../project/principal.ts";
import type { TextRow } from "../project/tenant.ts";
import { entityView, forProject } from "../query/entity-view.ts";
import { type Bindings, Parameters } from "../query/parameters.ts";
import { auditOf, eventsOf } from "../query/trace.ts";
import { maskedChanges } from "./audit.ts";

/** The caller and their request. */
export interface Acting {
  readonly release: ActiveRelease;
  readonly principal: Principal;
  readonly requestId: string;
  readonly ip: string;
  /** The organization in which the request is made. */
  readonly organization: string | null;
}

/** A value for all rows, or SQL of one over the written row `_w`, as jsonb. */
type Json = Readonly<Record<string, unknown>> | { readonly sql: string };

export interface Change {
  readonly entity: "user" | "organization";
  readonly operation: string;
  /** An insert, update or delete with `returning` of whole rows; `$1` and so on are `values`. */
  readonly mutation: string;
  readonly values: readonly (string | null)[];
  /** `written`: the change is of the entity's own row. Otherwise the id of the record that it is about. */
  readonly record: "written" | { readonly id: string };
  /** For the audit log: the record if it is new; `field: [before, after]` if it changed. */
  readonly changes: Json;
  readonly events: readonly ChangeEvent[];
  /** A select list over the written row `_w`, as texts. */
  readonly returning: string;
}

export interface ChangeEvent {
  /** An event in the module's description. */
  readonly name: string;
  /** The previous values of what changed, as the API shows them. */
  readonly old?: Readonly<Record<string, unknown>>;
  /** Data in addition to the record. */
  readonly data?: Json;
}

/** From the arguments of a module's handler. */
export function actingIn({ release, principal, incoming, organization }: ModuleContext): Acting {
  return { release, principal, requestId: incoming.id, ip: incoming.ip, organization };
}

/** Writes one audit row, and each event, for each written row; nothing if no row was written. */
export async function writeChange(
  open: TenantTransaction,
  acting: Acting,
  change: Change,
): Promise<readonly TextRow[]> {
  const { release, principal, requestId, ip, organization } = acting;
  const { entity, operation, mutation, values, record, changes, events, returning } = change;
  const view = entityView(release, entity);
  const parameters = new Parameters();
  const given = (value: string | null): string => {
    const at = parameters.slots.length;
    return parameters.at(`given.${at}`, () => value);
  };
  const json = (value: Json): string =>
    "sql" in value && typeof value.sql === "string" ? value.sql : `${given(JSON.stringify(value))}::jsonb`;
  // First, so that they have the numbers that the mutation uses.
  values.forEach(given);
  const [from, row] =
    record === "written" ? ["_w", "_w"] : [`_w join ${view.from} _o on _o."id" = ${given(record.id)}::uuid`, "_o"];
  const kept = "sql" in changes ? changes : maskedChanges(release, { entity, operation, changes });
  const audit = auditOf(parameters, [{ view, operation, from, row, changes: json(kept) }]);
  // A parameter that no part of the text uses would be an error.
  const written = (view.emits ? events : []).map(({ name, old, data }) => ({
    view,
    from,
    row,
    event: {
      name,
      old: old === undefined ? null : json(old),
      data: data === undefined ? null : json(data),
    },
  }));
  const traced = written.length > 0 ? `${audit}, ${eventsOf(parameters, written, view.schema)}` : audit;
  const text = `with _w as (${mutation}), ${traced} select ${returning} from _w`;
  const bindings: Bindings = {
    principal,
    requestId,
    ip,
    organization,
    recordId: null,
    values: new Map(),
    cursor: null,
    limit: null,
  };
  const { rows } = await open.query(
    forProject(text, release),
    parameters.slots.map((slot) => slot(bindings)),
  );
  return rows;
}
