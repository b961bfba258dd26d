// The workloads of the request path. In: a name. Out: the request, with placeholders that are filled for each sending.
// Every server and every load generator gets the same ones.

export const workloads = ["W1", "W2", "W3", "W4", "W5"] as const;
export type Workload = (typeof workloads)[number];

/** The number of articles, and of posts. */
export const rowCount = 100_000;
/** All topics have the same number of posts. */
export const topicCount = 1_000;
export const repliesOfPost = 3;

/** The paths of the workloads on one server. */
export interface Paths {
  readonly articles: string;
  /**
   * A page of 20 posts of the topic `{topic}`, each with its topic and its replies, and the number of all posts of the
   * topic.
   */
  readonly posts: string;
}

/**
 * In `path` and `body`, `{id}` is replaced by the id of a random row, `{topic}` by that of a random topic, and `{n}` by
 * a number that differs from the previous one.
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

/** Row n has the id 0...n in hexadecimal, so that every load generator can name one without a look-up. */
export const idPrefix = "00000000-0000-0000-0000-";

/** Fills the placeholders. */
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
