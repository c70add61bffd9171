import type { ConnectionPage } from '../model/lists/list-page.ts';

// The objects of a connection. Their fields are properties and getters instead of resolvers where
// possible, because the calls of resolvers take most of the time of a compiled query.

/** The connection of a page. Source: Relay Cursor Connections. */
export class Connection<T> {
  readonly page: ConnectionPage<T>;
  readonly edges: readonly Edge<T>[];
  readonly pageInfo: PageInfo;

  constructor(page: ConnectionPage<T>) {
    this.page = page;
    this.edges = page.items.map((node, index) => new Edge(node, page, index));
    this.pageInfo = new PageInfo(page, this.edges);
  }

  get nodes(): readonly T[] {
    return this.page.items;
  }
}

export class Edge<T> {
  readonly node: T;
  readonly #page: ConnectionPage<T>;
  readonly #index: number;
  #cursor: string | undefined;

  constructor(node: T, page: ConnectionPage<T>, index: number) {
    this.node = node;
    this.#page = page;
    this.#index = index;
  }

  /** Encoded on first access, because most queries do not select it. */
  get cursor(): string {
    this.#cursor ??= this.#page.cursorAt(this.#index);
    return this.#cursor;
  }
}

export class PageInfo {
  readonly page: ConnectionPage<unknown>;
  readonly #edges: readonly Edge<unknown>[];

  constructor(page: ConnectionPage<unknown>, edges: readonly Edge<unknown>[]) {
    this.page = page;
    this.#edges = edges;
  }

  get startCursor(): string | null {
    return this.#edges[0]?.cursor ?? null;
  }

  get endCursor(): string | null {
    return this.#edges.at(-1)?.cursor ?? null;
  }
}
