// Finds the action of a step. In: its name. Out: whether it exists, and what data leaves the project through it.
import { requireModule } from "../check/modules.ts";
import { actionsNotServed } from "../check/unserved.ts";
import { builtinActions } from "../modules/builtin-actions.ts";
import { connectorProviders } from "../modules/providers.ts";
import { suggestFor } from "../text/suggestions.ts";
import type { Word } from "../text/syntax.ts";
import type { BackgroundContext, Egress } from "./context.ts";

export interface KnownAction {
  /** Its name, or `connector`. */
  readonly kind: string;
  /** The data that leaves the project through it. */
  readonly egress: readonly Egress["to"][];
}

/** Null if there is no such action. The plain name of a worker is an action. */
export function checkAction(word: Word, context: BackgroundContext): KnownAction | null {
  const { text, range } = word;
  const { report } = context.reader;
  if (context.workers.has(text)) {
    requireModule("workers", context.modules, `\`${text}\``, range, report);
    return { kind: "worker.run", egress: [] };
  }
  const builtin = Object.hasOwn(builtinActions, text) ? builtinActions[text] : undefined;
  if (builtin !== undefined) {
    if (builtin.module !== undefined) requireModule(builtin.module, context.modules, `\`${text}\``, range, report);
    if (text.startsWith("subscription.") && !hasSubscriptions(context)) {
      report.add(
        "unknown_action",
        range,
        `\`${text}\` needs an entity \`subscription\`, and the blueprint has none.`,
        "Declare the entity, with the transitions `activate` and `cancel` or a field `status`.",
      );
      return null;
    }
    // Without the entity, it needs a payment integration.
    const isOfConnector = text.startsWith("subscription.") && !context.entities.has("subscription");
    return { kind: isOfConnector ? "connector" : text, egress: builtin.egress === undefined ? [] : [builtin.egress] };
  }
  const [owner, verb] = text.split(".");
  const connection = context.connections.find(({ name, kind, provider }) =>
    [name, kind, provider].includes(owner ?? ""),
  );
  if (connection !== undefined && verb !== undefined)
    return { kind: "connector", egress: [connection.kind === "model" ? "model" : "http"] };
  if (verb !== undefined && connectorProviders.includes(owner ?? "")) {
    const hint = `Declare it under \`integrations\`: \`${owner}: { kind: ..., provider: ${owner} }\`.`;
    report.add("connection_missing", range, `This project has no integration with the provider \`${owner}\`.`, hint);
    return null;
  }
  const known = [...Object.keys(builtinActions), ...context.workers];
  const served = Object.keys(builtinActions).filter((name) => !actionsNotServed.includes(name));
  const hint = suggestFor(text, known, report) ?? `Known actions: ${served.join(", ")}, and the names of workers.`;
  report.add("unknown_action", range, `There is no action \`${text.slice(0, 120)}\`.`, hint);
  return null;
}

function hasSubscriptions({ entities, connections }: BackgroundContext): boolean {
  return entities.has("subscription") || connections.some((one) => one.kind === "payment");
}
