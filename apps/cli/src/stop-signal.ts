// Stops a long command. In: signals and a lost parent. Out: one promise that resolves once. A second Ctrl-C does not shorten the
// orderly stop, because it protects the data.

export interface StopSignal {
  readonly promise: Promise<void>;
  readonly isRequested: () => boolean;
  /** Waits for the end of the work or the wish to stop, whichever comes first. Failures of the work are thrown. */
  readonly or: (work: Promise<unknown>) => Promise<void>;
}

const parentPollMs = 200;

export function listenForStop(): StopSignal {
  let requested = false;
  const promise = new Promise<void>((resolve) => {
    const stop = (): void => {
      requested = true;
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) stop();
    }, parentPollMs).unref();
  });
  return {
    promise,
    isRequested: () => requested,
    or: async (work) => {
      await Promise.race([work, promise]);
    },
  };
}
