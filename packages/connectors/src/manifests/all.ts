// All connectors as data, for the language, control and console.
import { resend, smtp } from "./email.ts";
import type { ConnectorManifest } from "./manifest.ts";

export {
  type ConnectionField,
  type ConnectionProblem,
  type ConnectionValues,
  type ConnectorManifest,
  type ReadConnection,
  readConnection,
} from "./manifest.ts";

/** By provider. */
export const connectorManifests: ReadonlyMap<string, ConnectorManifest> = new Map(
  [resend, smtp].map((manifest) => [manifest.provider, manifest]),
);
