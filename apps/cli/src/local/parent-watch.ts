// Preloaded into a process that knows nothing of its parent (Next.js). In: nothing. Out: an end to the process when its
// parent is gone, so that a killed `plinth up` leaves no console behind.

const parent = process.ppid;

setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, 500).unref();
