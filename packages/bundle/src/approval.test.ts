// The approvals that a cell accepts: only those that control has signed, for exactly this cell, and for a short time.
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import {
  type Approval,
  approvalProblem,
  type LegacyApproval,
  legacyApprovalIsSigned,
  signApproval,
  type UnsignedApproval,
} from "./approval.ts";
import { newControlKeys, readControlPublicKeys, readControlSigner } from "./control-keys.ts";
import { canonicalJson } from "./hash.ts";

const [pair, next, strange] = [newControlKeys(), newControlKeys(), newControlKeys()];
const signer = readControlSigner(pair.privateKey);
const now = Date.parse("2026-03-01T12:00:00Z");
const agreed = {
  projectId: "prj_a",
  releaseId: "rel_a",
  baseHash: null,
  bundleHash: "b",
  planHash: "p",
  consents: [],
  approvedBy: "ana@example.com",
  approvedAt: "2026-03-01T11:00:00.000Z",
};
const unsigned: UnsignedApproval = { ...agreed, cell: "local", name: "demo" };
const good = signApproval(unsigned, signer, now);
const expected = { cell: "local", keys: readControlPublicKeys(pair.publicKey), now };
const minutes = (count: number): number => count * 60_000;

test("an approval that control signed for this cell is valid until it expires", () => {
  expect(approvalProblem(good, expected)).toBeNull();
  // It is sent as JSON.
  expect(approvalProblem(JSON.parse(JSON.stringify(good)) as Approval, expected)).toBeNull();
  expect(approvalProblem(good, { ...expected, now: now + minutes(9) })).toBeNull();
  expect(approvalProblem(good, { ...expected, now: now + minutes(11) })).toBe("The approval has expired.");
  expect(approvalProblem(good, { ...expected, now: now - minutes(2) })).toBe("The approval is valid for too long.");
  expect(approvalProblem(good, { ...expected, cell: "other" })).toBe("The approval is for another cell.");
});

test("a change of any value invalidates the signature", () => {
  for (const [name, value] of Object.entries({ ...good, extra: 1 })) {
    if (name === "signature") continue;
    const changed = { ...good, [name]: typeof value === "string" ? `${value}x` : ["destructive note"] } as Approval;
    expect(approvalProblem(changed, expected), name).toBe("The approval is not signed by control.");
  }
  const forged = signApproval(unsigned, readControlSigner(strange.privateKey), now);
  expect(approvalProblem(forged, expected)).toBe("The approval is not signed by control.");
  expect(approvalProblem({ ...forged, keyId: good.keyId }, expected)).toBe("The approval is not signed by control.");
});

test("two public keys are valid while one replaces the other", () => {
  const keys = readControlPublicKeys(`${pair.publicKey}, ${next.publicKey}`);
  const byNext = signApproval(unsigned, readControlSigner(next.privateKey), now);
  for (const approval of [good, byNext]) expect(approvalProblem(approval, { ...expected, keys })).toBeNull();
  expect(approvalProblem(byNext, expected)).toBe("The approval is not signed by control.");
});

test("an invalid key is refused, and the error doesn't contain it", () => {
  expect(() => readControlSigner("c2VjcmV0")).toThrow(/^must be an Ed25519 key in base64 \(DER\)$/);
  expect(() => readControlPublicKeys("")).toThrow("must be an Ed25519 key");
  expect(() => readControlSigner(pair.publicKey)).toThrow("must be an Ed25519 key");
});

test("an old signature with the shared secret is only valid for that secret", () => {
  const signature = createHmac("sha256", "secret").update(canonicalJson(agreed)).digest("hex");
  const legacy: LegacyApproval = { ...agreed, signature };
  expect(legacyApprovalIsSigned(legacy, "secret")).toBe(true);
  expect(legacyApprovalIsSigned(legacy, "another")).toBe(false);
  expect(legacyApprovalIsSigned({ ...legacy, approvedBy: "eve@example.com" }, "secret")).toBe(false);
});
