// The process of the console. In: the environment and signals. Out: an exit code. It passes nothing of the environment to the browser.
import { consoleConfig } from "./server/config.ts";
import { startConsole } from "./server/start.ts";

const config = consoleConfig(process.env);
const server = await startConsole(config);
process.stdout.write(
  `${JSON.stringify({ level: "info", name: "console", msg: "console is ready", url: server.url })}\n`,
);

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    void server.stop().finally(() => process.exit(0));
  });
}
