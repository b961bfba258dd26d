// How a long command is asked to stop. In: signals and a lost parent. Out: one promise that resolves once.
// A second Ctrl-C does not cut the orderly stop short: data are worth the seconds.

export interface StopSignal {
  readonly promise: Promise<void>;
  readonly asked: () => boolean;
  /** Whichever comes first: the work's end or the wish to stop. Failures of the work are thrown. */
  readonly or: (work: Promise<unknown>) => Promise<void>;
}

const parentPollMs = 200;

export function listenForStop(): StopSignal {
  let asked = false;
  const promise = new Promise<void>((resolve) => {
    const stop = (): void => {
      asked = true;
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
    asked: () => asked,
    or: async (work) => {
      await Promise.race([work, promise]);
    },
  };
}
