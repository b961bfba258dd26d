// The workloads of the request path. In: a name. Out: the request, with holes that each sending fills anew.
// Every server and every driver gets the same ones.

export const workloads = ["W1", "W2", "W3", "W4"] as const;
export type Workload = (typeof workloads)[number];

export const rowCount = 100_000;

/** In `path` and `body`, `{id}` stands for the id of some row, and `{n}` for a number that differs from the last one. */
export interface Request {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly body?: string;
}

/** @param collection Path of the articles on the server. */
export function requestOf(workload: Workload, collection: string): Request {
  switch (workload) {
    case "W1":
      return { method: "GET", path: `${collection}/{id}` };
    case "W2":
      return { method: "GET", path: `${collection}?status=active&sort=-created_at&limit=20` };
    case "W3": {
      const body = JSON.stringify({ title: "A title", body: "A body of some length", score: 1 });
      return { method: "POST", path: collection, body };
    }
    case "W4":
      return { method: "PATCH", path: `${collection}/{id}`, body: `{"title":"Another title","score":{n}}` };
  }
}

/** Row n has the id 0...n in hexadecimal, so that every driver can name one without a look-up. */
export const idPrefix = "00000000-0000-0000-0000-";

/** Fills the holes. */
export function filled({ method, path, body }: Request): Request {
  const n = 1 + Math.floor(Math.random() * rowCount);
  const fill = (text: string): string =>
    text.replace("{id}", `${idPrefix}${n.toString(16).padStart(12, "0")}`).replace("{n}", String(n));
  return { method, path: fill(path), ...(body === undefined ? {} : { body: fill(body) }) };
}
