// A separate process hashes passwords: limited, in turns, even if that process dies.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createPasswords } from "./password.ts";

const password = "correct horse battery";

/** Ids of the processes that this one has started to hash passwords. */
function passwordProcesses(): readonly number[] {
  const children = readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(/\s+/).filter(Boolean),
  );
  return children.filter((id) => readFileSync(`/proc/${id}/cmdline`, "utf8").includes("password-process")).map(Number);
}

describe("the hashing of passwords", () => {
  it("is limited: a caller who would wait too long is told to come back", async () => {
    const passwords = createPasswords({ concurrencyMax: 1, waitingMax: 2 });
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map(() => passwords.hash("prj_a", password)));
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(3);
    const refused = results.find((result) => result.status === "rejected");
    expect(refused?.reason).toMatchObject({ code: "unavailable", headers: { "retry-after": "2" } });
    const hash = await passwords.hash("prj_a", password);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$/);
    expect(await passwords.verify("prj_a", hash, password)).toBe(true);
    expect(await passwords.verify("prj_a", hash, `${password}.`)).toBe(false);
    expect(await passwords.verify("prj_a", null, password)).toBe(false);
    await passwords.stop();
  });

  it("takes turns: a flood in one project does not delay another's sign-in", async () => {
    const passwords = createPasswords({ concurrencyMax: 1 });
    let done = 0;
    const flood = Array.from({ length: 8 }, () => passwords.hash("prj_flood", password).then(() => done++));
    await flood[0];
    await passwords.hash("prj_quiet", password);
    expect(done).toBeLessThan(5);
    await Promise.all(flood);
    await passwords.stop();
  });

  it("ends a process that hangs, and continues with another", async () => {
    const passwords = createPasswords({ taskMsMax: 1 });
    await expect(passwords.hash("prj_a", password)).rejects.toMatchObject({ code: "unavailable" });
    await expect(passwords.hash("prj_b", password)).rejects.toMatchObject({ code: "unavailable" });
    await passwords.stop();
  });

  it.skipIf(process.platform !== "linux")(
    "ends a process that was stopped, refuses what it had taken, and goes on with another",
    async () => {
      const passwords = createPasswords({ concurrencyMax: 1, taskMsMax: 2_000 });
      const stored = await passwords.hash("prj_a", password);
      for (const child of passwordProcesses()) process.kill(child, "SIGSTOP");
      const startedMs = performance.now();
      const signIns = await Promise.allSettled([1, 2, 3].map(() => passwords.verify("prj_a", stored, password)));
      expect(performance.now() - startedMs).toBeLessThan(8_000);
      expect(signIns[0]).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
      expect(signIns.slice(1)).toMatchObject([{ value: true }, { value: true }]);
      await passwords.stop();
    },
    15_000,
  );

  it("survives the death of its process, and refuses the tasks in progress", async () => {
    const passwords = createPasswords();
    await passwords.hash("prj_a", password);
    const under = Promise.allSettled([passwords.hash("prj_a", password), passwords.hash("prj_a", password)]);
    await passwords.stop();
    for (const outcome of await under) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "unavailable" });
    }
    expect(await passwords.hash("prj_a", password)).toMatch(/^\$argon2id/);
    await passwords.stop();
  });
});
