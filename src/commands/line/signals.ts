const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Lets SIGINT and SIGTERM end the process 1 of a container, for which the kernel ignores a signal without a listener. A
 * command with a listener of its own decides itself.
 */
export function endOnSignals(): void {
  if (process.pid !== 1) return;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) endProcess(signal);
    });
  }
}

/** Ends the process immediately, as a signal without a listener does. */
export function endProcess(signal: NodeJS.Signals): never {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The kernel ignores such a signal to the process 1 of a container.
  process.exit(1);
}
