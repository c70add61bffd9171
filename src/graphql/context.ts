import DataLoader from 'dataloader';
import type { DataLayer, Resource } from '../data/data-layer.ts';
import type { Principal } from '../model/principal.ts';
import type { ResourceName } from '../model/resource-name.ts';

type Resources = DataLoader<ResourceName, Resource | null>;

/**
 * What the resolvers of one request share. Apollo Server works with copies of a
 * context's own properties, so that all that changes is held by one of them.
 */
export class Context {
  readonly data: DataLayer;
  /** Finds out whom the request's bearer token speaks for. */
  readonly findPrincipal: () => Promise<Principal>;
  readonly progress: {
    principal?: Principal;
    resources?: Resources;
    /** Whether the document did not parse or validate, or did not take its variables. */
    documentRefused: boolean;
  } = { documentRefused: false };

  constructor(data: DataLayer, findPrincipal: () => Promise<Principal>) {
    this.data = data;
    this.findPrincipal = findPrincipal;
  }

  /** To be called before anything is resolved. @throws UNAUTHENTICATED */
  async authenticate(): Promise<void> {
    this.progress.principal = await this.findPrincipal();
  }

  get isAuthenticated(): boolean {
    return this.progress.principal !== undefined;
  }

  /** Whom the request speaks for. */
  get principal(): Principal {
    const { principal } = this.progress;
    if (principal === undefined) throw new Error('A resolver ran before the token was looked at.');
    return principal;
  }

  /** Fetches resources by name, those asked for at the same time in one call. */
  get resources(): Resources {
    const { data, principal, progress } = this;
    progress.resources ??= new DataLoader((names) => data.getResources(principal, names), {
      maxBatchSize: 100,
    });
    return progress.resources;
  }
}
