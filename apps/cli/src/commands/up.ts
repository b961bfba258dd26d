// `plinth up`. In: the environment's settings. Out: a running Plinth and its addresses, until the command is stopped.
import type { ExitCode } from "../failure.ts";
import type { LocalSettings } from "../local/settings.ts";
import { startStack } from "../local/stack.ts";
import type { StopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";

export async function up(terminal: Terminal, settings: LocalSettings, stop: StopSignal): Promise<ExitCode> {
  const { urls, home } = settings;
  const stack = await startStack(settings, terminal.out);
  try {
    await stop.or(stack.ready);
    if (!stop.isRequested()) {
      terminal.out("");
      terminal.out(`  Console      ${urls.console}`);
      terminal.out(`  API          ${urls.api}`);
      terminal.out(`  Control API  ${stack.controlUrl}`);
      terminal.out(`  Data, logs   ${home}`);
      terminal.out("");
      terminal.out(`Next: open ${urls.console} and sign up. Ctrl-C stops everything and keeps the data.`);
    }
    await stop.promise;
    terminal.out("Stopping ...");
  } finally {
    await stack.stop();
  }
  terminal.out("Stopped. The data is kept.");
  return 0;
}
