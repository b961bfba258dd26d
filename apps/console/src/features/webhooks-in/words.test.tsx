// The state of a source. A source that refuses all requests must not look as if none had arrived.
import type { InboundSource } from "@plinth/control/router";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { SourceBadge, setUpText } from "./words.tsx";

const source: InboundSource = {
  name: "stripe",
  url: "https://api.example/hooks/prj_1/stripe",
  verify: "stripe",
  events: {},
  enabled: true,
  secrets: [{ id: "0192f000-0000-7000-8000-000000000001", createdAt: "2026-11-22T09:00:00.000Z", expiresAt: null }],
  lastReceivedAt: null,
  lastRefusedAt: null,
  lastRefusal: null,
};
const at = "2026-11-22T10:00:00.000Z";
const refused: InboundSource = { ...source, lastRefusedAt: at, lastRefusal: "bad_signature" };

const badge = (one: InboundSource): string => renderToStaticMarkup(<SourceBadge source={one} />);

test("a source that has only refused requests says so, with the reason", () => {
  expect(badge(refused)).toContain("All requests refused");
  expect(setUpText(refused, "the signing secret")).toBe(
    "No request was accepted yet. The last one was refused: no live secret matches the signature: the secret is wrong, or the body was changed on the way.",
  );
});

test("a refusal from before the newest secret says nothing about that secret", () => {
  const [secret] = source.secrets;
  const rotated = { ...refused, secrets: [secret!, { ...secret!, createdAt: "2026-11-22T11:00:00.000Z" }] };
  expect(badge(rotated)).toContain("Waiting for the first request");
  expect(setUpText(rotated, "the signing secret")).toBe("No request has arrived since the newest secret was added.");
});

test("the other states", () => {
  expect(badge(source)).toContain("Waiting for the first request");
  expect(setUpText(source, "the signing secret")).toBe("No request has arrived yet.");
  expect(badge({ ...refused, enabled: false })).toContain("Needs a secret");
  expect(setUpText({ ...refused, enabled: false }, "the signing secret")).toContain("the signing secret");
  expect(badge({ ...refused, lastReceivedAt: at })).toContain("Receiving");
});
