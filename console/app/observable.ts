import { useLayoutEffect, useReducer } from 'preact/hooks';

/** A value outside of the components. A component that reads it by `useObservable` is drawn again when it changes. */
export class Observable<Value> {
  readonly #listeners = new Set<() => void>();
  #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each change. @returns the function that ends this */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Returns the value, and draws the component again when it changes. */
export function useObservable<Value>(store: Observable<Value>): Value {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => store.listen(() => draw(undefined)), [store]);
  return store.value;
}
