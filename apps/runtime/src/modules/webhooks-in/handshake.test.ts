// Handshakes over HTTP: only holders of a secret of the source get the answer that providers ask for before they send.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type HooksCell, openHooksCell } from "./testing/hooks.ts";

const TEXT = `project: chat
modules: [auth, users, roles, webhooks, audit_logs]
entities:
  note:
    fields: { name: string }
    permissions: { admin: { all: true } }
webhooks:
  in:
    slack: { verify: slack }
    zoom: { verify: zoom }
    twitch: { verify: twitch }
    meta: { verify: meta }
    github: { verify: github }
`;
const SECRET = "a secret of every source";

let hooks: HooksCell;
beforeAll(async () => {
  hooks = await openHooksCell(TEXT);
  for (const source of ["slack", "zoom", "twitch", "meta", "github"])
    for (const secret of ["an older secret", SECRET]) await hooks.call("/v1/webhooks/secrets", { source, secret });
});
afterAll(() => hooks.close());

const hmac = (text: string, secret: string): string => createHmac("sha256", secret).update(text).digest("hex");
const now = (): string => String(Math.floor(Date.now() / 1_000));

async function sendSigned(source: "slack" | "zoom" | "twitch", body: string, secret = SECRET): Promise<Response> {
  const time = now();
  const stamped = `v0=${hmac(`v0:${time}:${body}`, secret)}`;
  const headers = {
    slack: { "x-slack-request-timestamp": time, "x-slack-signature": stamped },
    zoom: { "x-zm-request-timestamp": time, "x-zm-signature": stamped },
    twitch: {
      "twitch-eventsub-message-id": "e76c6bd4",
      "twitch-eventsub-message-timestamp": "2026-07-01T12:00:00.634234626Z",
      "twitch-eventsub-message-type": "webhook_callback_verification",
      "twitch-eventsub-message-signature": `sha256=${hmac(`e76c6bd42026-07-01T12:00:00.634234626Z${body}`, secret)}`,
    },
  }[source];
  return hooks.send(source, { body, headers: { "content-type": "application/json", ...headers } });
}

// https://docs.slack.dev/reference/events/url_verification
const slackAsks =
  '{"token":"Jhj5dZrVaK7ZwHHjRyZWjbDl","challenge":"3eZbrw1aBm2rZgRNFdxV2595","type":"url_verification"}';
// https://developers.zoom.us/docs/api/webhooks/#validate-your-webhook-endpoint
const zoomAsks = '{"payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"},"event_ts":1,"event":"endpoint.url_validation"}';
// https://dev.twitch.tv/docs/eventsub/handling-webhook-events/#responding-to-a-challenge-request
const twitchAsks = '{"challenge":"pogchamp-kappa-360noscope","subscription":{"type":"channel.follow"}}';

it("Slack, Zoom and Twitch get the expected answer if they sign the request", async () => {
  const slack = await sendSigned("slack", slackAsks);
  expect([slack.status, await slack.text()]).toEqual([200, "3eZbrw1aBm2rZgRNFdxV2595"]);
  expect(slack.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(slack.headers.get("x-content-type-options")).toBe("nosniff");
  const zoom = await sendSigned("zoom", zoomAsks);
  expect(await zoom.json()).toEqual({
    plainToken: "qgg8vlvZRS6UYooatFL8Aw",
    encryptedToken: hmac("qgg8vlvZRS6UYooatFL8Aw", SECRET),
  });
  const older = await sendSigned("zoom", zoomAsks, "an older secret");
  expect(await older.json()).toMatchObject({ encryptedToken: hmac("qgg8vlvZRS6UYooatFL8Aw", "an older secret") });
  expect(await (await sendSigned("twitch", twitchAsks)).text()).toBe("pogchamp-kappa-360noscope");
  expect(await hooks.call("/v1/webhooks/requests")).toEqual([]);
});

it("strangers get no answer", async () => {
  for (const [source, body] of [
    ["slack", slackAsks],
    ["zoom", zoomAsks],
    ["twitch", twitchAsks],
  ] as const) {
    const response = await sendSigned(source, body, "a stranger's secret");
    expect(response.status).toBe(404);
    expect(await response.text()).not.toMatch(/3eZbrw|qgg8|pogchamp/);
  }
});

const hub = (changed: Readonly<Record<string, string>> = {}): string =>
  String(
    new URLSearchParams({
      "hub.mode": "subscribe",
      "hub.verify_token": SECRET,
      "hub.challenge": "1158201444",
      ...changed,
    }),
  );

it("Meta's GET is answered with its challenge if it contains a secret of the source", async () => {
  const answer = await hooks.send("meta", { method: "GET", query: hub() });
  expect([answer.status, await answer.text()]).toEqual([200, "1158201444"]);
  for (const changed of [
    { "hub.verify_token": "a stranger's token" },
    { "hub.verify_token": "" },
    { "hub.mode": "unsubscribe" },
    { "hub.challenge": "" },
    { "hub.challenge": "1".repeat(501) },
  ]) {
    const refused = await hooks.send("meta", { method: "GET", query: hub(changed) });
    expect(refused.status, JSON.stringify(changed)).toBe(404);
    expect(await refused.text()).not.toContain("1158201444");
  }
  expect((await hooks.send("github", { method: "GET", query: hub() })).status).toBe(404);
  expect((await hooks.send("none", { method: "GET", query: hub() })).status).toBe(404);
  expect((await hooks.send("meta", { method: "PUT", query: hub() })).status).toBe(404);
});

it.each(["meta", "github", "none"])(
  "a %s request without a secret gets the same answer at every address",
  async (source) => {
    const head = await hooks.send(source, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const echoed = await hooks.send(source, { method: "GET", query: "challenge=aB3_x-9.~" });
    expect([echoed.status, await echoed.text()]).toEqual([200, "aB3_x-9.~"]);
    expect(echoed.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(echoed.headers.get("x-content-type-options")).toBe("nosniff");
    for (const query of ["challenge=", "challenge=%3Cscript%3E", `challenge=${"a".repeat(201)}`, ""])
      expect((await hooks.send(source, { method: "GET", query })).status, query).toBe(404);
  },
);

it("tokens can't be guessed: a caller that is refused too often is limited", async () => {
  const statuses: number[] = [];
  // On a busy machine more of them come back than are spent at first.
  for (let at = 0; at < 1_000 && !statuses.includes(429); at++) {
    statuses.push((await hooks.send("meta", { method: "GET", query: hub({ "hub.verify_token": `${at}` }) })).status);
  }
  expect(new Set(statuses)).toEqual(new Set([404, 429]));
});
