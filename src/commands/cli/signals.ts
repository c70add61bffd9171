const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const MAX_CANCEL_MS = 500;

/**
 * Lets SIGINT and SIGTERM end process 1 of a container, where the kernel ignores a signal without a listener. A command
 * with its own listener decides itself.
 */
export function endOnSignals(): void {
  if (process.pid !== 1) return;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) endProcess(signal);
    });
  }
}

/**
 * Runs work that can be cancelled, because the database would continue it after the process has exited. A signal cancels
 * it, and ends the process after it, at the latest in half a second.
 */
export async function cancelOnSignals<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals) => {
    if (stopping.signal.aborted) endProcess(signal);
    stopping.abort(signal);
    setTimeout(endProcess, MAX_CANCEL_MS, signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(stopping.signal);
  } finally {
    if (stopping.signal.aborted) endProcess(stopping.signal.reason);
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

/** Ends the process immediately, as a signal without a listener does. */
export function endProcess(signal: NodeJS.Signals): never {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The kernel ignores such a signal to the process 1 of a container.
  process.exit(1);
}
