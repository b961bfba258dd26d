// The workloads of the request path. In: a name. Out: the request, with holes that each sending fills anew.
// Every server and every driver gets the same ones.

export const workloads = ["W1", "W2", "W3", "W4", "W5"] as const;
export type Workload = (typeof workloads)[number];

/** Of articles, and of posts. */
export const rowCount = 100_000;
/** Each has as many posts as the others. */
export const topicCount = 1_000;
export const repliesOfPost = 3;

/** Where a server has what is asked for. */
export interface Paths {
  readonly articles: string;
  /** A page of 20 posts of the topic `{topic}`, each with its topic and its replies, and how many there are. */
  readonly posts: string;
}

/**
 * In `path` and `body`, `{id}` stands for the id of some row, `{topic}` for that of some topic, and `{n}` for a number that
 * differs from the last one.
 */
export interface Request {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly body?: string;
}

export function requestOf(workload: Workload, { articles: collection, posts }: Paths): Request {
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
    case "W5":
      return { method: "GET", path: posts };
  }
}

/** Row n has the id 0...n in hexadecimal, so that every driver can name one without a look-up. */
export const idPrefix = "00000000-0000-0000-0000-";

/** Fills the holes. */
export function filled({ method, path, body }: Request): Request {
  const n = 1 + Math.floor(Math.random() * rowCount);
  const idOf = (row: number): string => `${idPrefix}${row.toString(16).padStart(12, "0")}`;
  const fill = (text: string): string =>
    text
      .replace("{id}", idOf(n))
      .replace("{topic}", idOf(1 + (n % topicCount)))
      .replace("{n}", String(n));
  return { method, path: fill(path), ...(body === undefined ? {} : { body: fill(body) }) };
}
