// Every reason that a cell stores has a text.
import { expect, it } from "vitest";
import { disabledText, reasonText } from "./delivery-words.ts";

it("has a sentence for every reason", () => {
  const reasons = ["refused", "unreachable", "no_answer", "too_large", "revoked", "endpoint_disabled", "unsent"];
  for (const reason of [...reasons, "http_302", "http_400", "http_401", "http_404", "http_410", "http_429", "http_500"])
    expect(reasonText(reason)).toMatch(/^[A-Z].* .*\.$|\?$/);
  expect(reasonText("http_503")).toBe("The receiver failed (503).");
});

it("says why an endpoint is disabled and what to do", () => {
  for (const reason of ["gone", "failing", "by_admin", null]) expect(disabledText(reason).next).toMatch(/enable/);
});
