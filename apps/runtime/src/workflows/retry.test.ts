// The error of a step for a fault.
import { Fault } from "@plinth/service";
import { expect, test } from "vitest";
import { errorOf } from "./retry.ts";

const detail = "`status` can't go from `sold` to `draft`.";

test("a fault with the same message for one field is shown once", () => {
  const errors = [{ path: "/status", code: "transition_not_allowed", message: detail }];
  expect(errorOf(new Fault("transition_not_allowed", { detail, errors }))?.error.message).toBe(detail);
});

test("its messages about further fields are shown, too", () => {
  const errors = [{ path: "/price", code: "out_of_range", message: "must be at most 5" }];
  expect(errorOf(new Fault("validation_failed", { detail: "It is not valid.", errors }))?.error.message).toBe(
    "It is not valid. /price must be at most 5",
  );
});
