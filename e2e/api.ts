// A bare HTTP caller for the tests, so that what an app sees is asserted without the SDK in between.

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON, otherwise null. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  readonly body: any;
  readonly text: string;
}

export interface Caller {
  readonly get: (path: string) => Promise<Reply>;
  readonly post: (path: string, body: unknown) => Promise<Reply>;
  readonly patch: (path: string, body: unknown) => Promise<Reply>;
  readonly put: (path: string, body: unknown) => Promise<Reply>;
  readonly delete: (path: string) => Promise<Reply>;
}

/** Calls with a key and, if given, a user's access token. */
export function callerOf(apiUrl: string, key: string, userToken?: string): Caller {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (userToken !== undefined) headers["plinth-user-token"] = userToken;
  const withBody = (method: string) => (path: string, body: unknown) =>
    call(apiUrl + path, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return {
    get: (path) => call(apiUrl + path, { headers }),
    delete: (path) => call(apiUrl + path, { method: "DELETE", headers }),
    post: withBody("POST"),
    patch: withBody("PATCH"),
    put: withBody("PUT"),
  };
}

export async function call(url: string, init: RequestInit): Promise<Reply> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : null, text };
}

/** Signs up an end user. Out: the user's id, and a caller that acts as them. */
export async function signUp(apiUrl: string, key: string, email: string): Promise<{ id: string; as: Caller }> {
  const reply = await callerOf(apiUrl, key).post("/v1/auth/sign-up", { email, password: "correct horse battery" });
  if (reply.status !== 201) throw new Error(`sign-up of ${email}: ${reply.status} ${reply.text}`);
  return { id: reply.body.data.user.id, as: callerOf(apiUrl, key, reply.body.data.access_token) };
}
