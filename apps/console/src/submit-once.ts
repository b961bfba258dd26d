// Gives every submission one effect. In: the browser's `fetch`. Out: a `fetch` for requests that change something. A request that equals a
// running one, for example after a double click, is not sent: both get the same response. After a lost response, an equal request is sent
// with the same key, so that the control API carries it out once. It stores no responses.

type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

/** The maximum number of keys without a response; the oldest are dropped first. */
const KEYS_MAX = 100;

export function submitOnce(send: Fetch = (input, init) => fetch(input, init)): Fetch {
  const runningRequests = new Map<string, Promise<Response>>();
  const unanswered = new Map<string, string>();

  const submit = async (what: string, input: RequestInfo | URL, init: RequestInit): Promise<Response> => {
    const key = unanswered.get(what) ?? newKey();
    unanswered.set(what, key);
    for (const oldest of unanswered.keys()) {
      if (unanswered.size <= KEYS_MAX) break;
      unanswered.delete(oldest);
    }
    const headers = new Headers(init.headers);
    headers.set("idempotency-key", key);
    const response = await send(input, { ...init, headers });
    // An error of a gateway is not the response: the request may have been carried out.
    if (response.status < 500) unanswered.delete(what);
    return response;
  };

  return async (input, init = {}) => {
    if (typeof init.body !== "string") return send(input, init);
    const what = `${init.method} ${String(input)} ${init.body}`;
    const running = runningRequests.get(what);
    if (running !== undefined) return (await running).clone();
    const submitted = submit(what, input, init);
    runningRequests.set(what, submitted);
    try {
      return (await submitted).clone();
    } finally {
      runningRequests.delete(what);
    }
  };
}

/** Not `randomUUID`, which doesn't exist on a page without HTTPS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
