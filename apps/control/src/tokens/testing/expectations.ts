// Expectations for the test of all procedures: every signed-in person has access tokens, and can only use their own.
import type { Expected } from "../../testing/expected.ts";

const nothing = `tok_${"0".repeat(20)}`;
const userCode = "BBBB-BBBB";

export const tokenExpectations: Record<string, Expected> = {
  "tokens.list": { who: "person", call: (c) => c.tokens.list.query() },
  "tokens.create": {
    who: "person",
    end: "BAD_REQUEST",
    call: (c) => c.tokens.create.mutate({ name: "for ever", days: 0 }),
  },
  "tokens.revoke": { who: "person", end: "NOT_FOUND", call: (c) => c.tokens.revoke.mutate({ tokenId: nothing }) },
  "tokens.revokeOwn": { who: "person", end: "BAD_REQUEST", call: (c) => c.tokens.revokeOwn.mutate() },
  "devices.open": { who: "person", end: "NOT_FOUND", call: (c) => c.devices.open.mutate({ userCode }) },
  "devices.approve": { who: "person", end: "NOT_FOUND", call: (c) => c.devices.approve.mutate({ userCode }) },
  "devices.deny": { who: "person", end: "NOT_FOUND", call: (c) => c.devices.deny.mutate({ userCode }) },
};
