// Preloaded into a process that knows nothing of us (Next.js). In: nothing. Out: an end to the process when its parent is
// gone, so that a killed `plinth up` leaves no console behind; and none where its log can't be written.

for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const parent = process.ppid;

setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, 500).unref();
