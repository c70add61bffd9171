import type { ProjectPage } from '../data/data-layer.ts';
import type { Project } from '../model/project.ts';

// The objects that a connection consists of. Their fields are properties where they can
// be: a resolver is a call for each item, which takes longer than all else a compiled query
// does with it.

/** A page of projects as a connection. Source: Relay Cursor Connections. */
export class ProjectConnection {
  readonly page: ProjectPage;
  readonly edges: readonly ProjectEdge[];
  readonly pageInfo: PageInfo;

  constructor(page: ProjectPage) {
    this.page = page;
    this.edges = page.items.map((node, index) => new ProjectEdge(node, page, index));
    this.pageInfo = new PageInfo(page, this.edges);
  }

  get nodes(): readonly Project[] {
    return this.page.items;
  }
}

/** A project within a page. */
export class ProjectEdge {
  readonly node: Project;
  readonly #page: ProjectPage;
  readonly #index: number;
  #cursor: string | undefined;

  constructor(node: Project, page: ProjectPage, index: number) {
    this.node = node;
    this.#page = page;
    this.#index = index;
  }

  /** Made when it is first read. */
  get cursor(): string {
    this.#cursor ??= this.#page.cursorAt(this.#index);
    return this.#cursor;
  }
}

/** Where a page lies within its list. */
export class PageInfo {
  readonly page: ProjectPage;
  readonly #edges: readonly ProjectEdge[];

  constructor(page: ProjectPage, edges: readonly ProjectEdge[]) {
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
