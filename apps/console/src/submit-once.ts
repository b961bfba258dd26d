// Makes every submit of the console single. In: the browser's `fetch`. Out: one for requests that change something.
// A request that equals one under way, as of a double click, is not sent: both get the answer. A request whose answer was lost
// is sent again with the first one's key, so that the control API carries it out once. It keeps no answer.

type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

/** Of submissions without an answer; the oldest go first. */
const KEYS_MAX = 100;

export function submitOnce(send: Fetch = (input, init) => fetch(input, init)): Fetch {
  const underWay = new Map<string, Promise<Response>>();
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
    // A gateway's error is no answer: the work may have been done behind it.
    if (response.status < 500) unanswered.delete(what);
    return response;
  };

  return async (input, init = {}) => {
    if (typeof init.body !== "string") return send(input, init);
    const what = `${init.method} ${String(input)} ${init.body}`;
    const running = underWay.get(what);
    if (running !== undefined) return (await running).clone();
    const submitted = submit(what, input, init);
    underWay.set(what, submitted);
    try {
      return (await submitted).clone();
    } finally {
      underWay.delete(what);
    }
  };
}

/** Not `randomUUID`, which a page that is not served over HTTPS lacks. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
