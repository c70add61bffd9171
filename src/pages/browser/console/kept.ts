const MAX_KEPT = 50;

const answers = new Map<string, unknown>();

/** Returns what was kept. */
export function kept<Value>(key: string): Value | undefined {
  return answers.get(key) as Value | undefined;
}

/** Keeps what a screen has loaded, so that it is there at once on the way back. */
export function keep(key: string, value: unknown): void {
  answers.delete(key);
  answers.set(key, value);
  if (answers.size > MAX_KEPT) answers.delete(answers.keys().next().value ?? '');
}

/** Forgets everything, because it was changed, or because another token may not see it. */
export function forgetKept(): void {
  answers.clear();
}
