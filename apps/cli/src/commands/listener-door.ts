// The API for a listener's deliveries: the control API of the local Plinth, or the API of a hosted project with a secret key. In:
// a listener's calls. Out: their answers. Null if there was none; the caller tries again.
import type { ForwardOutcome, PulledDelivery } from "@plinth/control/router";
import { type ControlClient, isControlError } from "../control-client.ts";
import { CommandFailure } from "../failure.ts";
import { noWebhooks } from "./webhooks.ts";

export interface ListenerDoor {
  open(url: string, events: readonly string[]): Promise<{ readonly id: string; readonly secret: string }>;
  /** @throws CommandFailure if the listener no longer exists, or the caller is refused. */
  pull(id: string, outcomes: readonly ForwardOutcome[]): Promise<readonly PulledDelivery[] | null>;
  /** Its waiting deliveries fail, and can be read for a day. */
  close(id: string): Promise<void>;
}

const GONE =
  "the listener no longer exists: it was disabled or deleted, or an older Plinth has deployed the live version (deploy it again)";

export function doorByControl(
  control: ControlClient,
  { projectId, project }: { readonly projectId: string; readonly project: string },
): ListenerDoor {
  return {
    async open(url, events) {
      if ((await control.webhooks.endpoints.query({ projectId, limit: 1 })) === null) throw noWebhooks(project);
      const made = await control.webhooks.create.mutate({ projectId, url, events: [...events], listener: true });
      return { id: made.id, secret: made.secret ?? "" };
    },
    async pull(endpointId, outcomes) {
      try {
        return await control.webhooks.pull.mutate({ projectId, endpointId, outcomes: [...outcomes] });
      } catch (error) {
        if (!isControlError(error)) throw error;
        const status = error.data?.httpStatus ?? 503;
        if (status === 404) throw new CommandFailure(GONE, 1, { cause: error });
        if (isPassing(status)) return null;
        throw error;
      }
    },
    async close(endpointId) {
      await control.webhooks.setEnabled.mutate({ projectId, endpointId, enabled: false }).catch(() => {});
    },
  };
}

/**
 * @param api The address of the project's API.
 * @param key A secret key whose role is `admin`.
 */
export function doorByKey(api: string, key: string): ListenerDoor {
  const call = async (method: string, path: string, body: object): Promise<Response | null> => {
    const url = `${api.replace(/\/+$/, "")}/v1/webhook-endpoints${path}`;
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const signal = AbortSignal.timeout(CALL_MS_MAX);
    try {
      const response = await fetch(url, { method, headers, body: JSON.stringify(body), redirect: "error", signal });
      return isPassing(response.status) ? null : response;
    } catch {
      return null;
    }
  };
  return {
    async open(url, events) {
      const response = await call("POST", "", { url, events, listener: true });
      if (response === null) throw new CommandFailure(`nothing answers at ${api}`);
      if (!response.ok) throw new CommandFailure(await refusalOf(response));
      return dataOf<{ readonly id: string; readonly secret: string }>(response);
    },
    async pull(id, outcomes) {
      const response = await call("POST", `/${id}/pull`, { outcomes });
      if (response === null) return null;
      if (response.status === 404) throw new CommandFailure(GONE);
      if (!response.ok) throw new CommandFailure(await refusalOf(response));
      return (await dataOf<{ readonly deliveries: readonly PulledDelivery[] }>(response)).deliveries;
    },
    async close(id) {
      await call("PATCH", `/${id}`, { enabled: false });
    },
  };
}

const CALL_MS_MAX = 15_000;

interface Problem {
  readonly title?: string;
  readonly detail?: string | null;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** A retry may succeed. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 429;
}

async function dataOf<T>(response: Response): Promise<T> {
  return ((await response.json()) as { readonly data: T }).data;
}

async function refusalOf(response: Response): Promise<string> {
  const { title, detail, errors = [] } = (await response.json().catch(() => ({}))) as Problem;
  const first = errors[0] === undefined ? null : `${errors[0].path}: ${errors[0].message}`;
  return `the API answers ${response.status}: ${first ?? detail ?? title ?? "no reason"}`;
}
