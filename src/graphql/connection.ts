import type { ProjectPage } from '../data/data-layer.ts';
import type { Project } from '../model/project.ts';

// The objects of a connection. Their fields are properties and getters instead of resolvers where
// possible, because the calls of resolvers take most of the time of a compiled query.

/** The connection of a page of projects. Source: Relay Cursor Connections. */
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

/** The edge of a project. */
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

  /** Encoded on first access, because most queries do not select it. */
  get cursor(): string {
    this.#cursor ??= this.#page.cursorAt(this.#index);
    return this.#cursor;
  }
}

/** The page info of a connection. */
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
