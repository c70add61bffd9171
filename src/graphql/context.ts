import { isDeepStrictEqual } from 'node:util';
import DataLoader from 'dataloader';
import type { DataLayer, ProjectPage, Resource } from '../data/data-layer.ts';
import type { ConnectionArguments } from '../model/page.ts';
import type { Principal } from '../model/principal.ts';
import type { ResourceName } from '../model/resource-name.ts';

type Resources = DataLoader<ResourceName, Resource | null>;

/** What has been found out for one request so far. */
type Progress = {
  authentication?: Promise<Principal>;
  principal?: Principal;
  resources?: Resources;
  /** The pages of projects that were read. */
  readonly pages: { readonly input: ConnectionArguments; readonly page: Promise<ProjectPage> }[];
  /** Whether the document did not parse or validate, or did not take its variables. */
  documentRefused: boolean;
};

/**
 * What the resolvers of one request share. A request reads everything at most once, even
 * if its query is executed a second time, because a compiled query ended with an error.
 *
 * Apollo Server works with copies of a context's own properties, so that everything that
 * changes is in one of them.
 */
export class Context {
  readonly data: DataLayer;
  /** Finds the principal of the request's bearer token. */
  readonly findPrincipal: () => Promise<Principal>;
  readonly progress: Progress = { pages: [], documentRefused: false };

  constructor(data: DataLayer, findPrincipal: () => Promise<Principal>) {
    this.data = data;
    this.findPrincipal = findPrincipal;
  }

  /** Looks at the bearer token. To be called before anything is resolved. @throws UNAUTHENTICATED */
  async authenticate(): Promise<void> {
    this.progress.authentication ??= this.findPrincipal();
    this.progress.principal = await this.progress.authentication;
  }

  /** The principal that the request speaks for. */
  get principal(): Principal {
    const { principal } = this.progress;
    if (principal === undefined) throw new Error('A resolver ran before the token was looked at.');
    return principal;
  }

  /** Fetches resources by name; those that are asked for at the same time in one call. */
  get resources(): Resources {
    const { data, principal, progress } = this;
    progress.resources ??= new DataLoader((names) => data.getResources(principal, names), {
      maxBatchSize: 100,
    });
    return progress.resources;
  }

  /** Lists projects as `DataLayer.listProjects` does. */
  listProjects(input: ConnectionArguments): Promise<ProjectPage> {
    const { data, principal, progress } = this;
    const known = progress.pages.find((each) => isDeepStrictEqual(each.input, input));
    if (known !== undefined) return known.page;
    const page = data.listProjects(principal, input);
    progress.pages.push({ input, page });
    return page;
  }
}
