// Preloaded into a process of another program (Next.js). In: nothing. Out: the process ends when its parent has ended, so that a
// killed `plinth up` leaves no console behind. It doesn't end if its log can't be written.

for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const parent = process.ppid;

setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, 500).unref();
