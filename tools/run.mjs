// Runs a task. In: a task's name and its arguments. Out: the task's exit code, run under the right Node in an installed
// workspace. It never uses a shell or `pnpm run`, because signals would not reach the task.
import { join } from "node:path";
import { environmentFor, exitWith, repository, runInForeground, say } from "./node-24.mjs";
import { prepareWorkspace } from "./workspace.mjs";

const tasks = {
  start: ["apps/cli/src/main.ts", "up"],
  test: ["scripts/check.ts", "all"],
  "test:long": ["scripts/check.ts", "long"],
  check: ["scripts/check.ts", "static"],
  format: ["scripts/check.ts", "format"],
  bench: ["e2e/bench/main.ts"],
  attack: ["e2e/attack/main.ts"],
  fuzz: ["e2e/fuzz/main.ts"],
  sdk: ["scripts/sdk-package.ts"],
  crash: ["e2e/crash/main.ts"],
};

await exitWith(async () => {
  const [name, ...rest] = process.argv.slice(2);
  const task = Object.hasOwn(tasks, name ?? "") ? tasks[name] : null;
  if (task === null) {
    say(`usage: node tools/run.mjs <${Object.keys(tasks).join("|")}> [arguments]`);
    return 2;
  }
  const node = await prepareWorkspace();
  const [script, ...args] = task;
  return runInForeground(node, [join(repository, script), ...args, ...rest], {
    cwd: repository,
    env: environmentFor(node),
  });
});
