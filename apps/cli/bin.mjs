#!/usr/bin/env node
// In: the command line, under whatever Node the caller has. Out: the same command under Node 24, and its exit code.
// It never interprets an argument itself.
import { environmentFor, exitWith, repository, runInForeground } from "../../tools/node-24.mjs";
import { prepareWorkspace } from "../../tools/workspace.mjs";

await exitWith(async () => {
  const node = await prepareWorkspace();
  return runInForeground(node, [`${repository}/apps/cli/src/main.ts`, ...process.argv.slice(2)], {
    env: environmentFor(node),
  });
});
