import type { App } from '../model/app.ts';
import type { ConnectionArguments, Page, PageSurroundings } from '../model/page.ts';
import type { Principal } from '../model/principal.ts';
import type { Project } from '../model/project.ts';
import type { ResourceName } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';

/** The fields of a request as the client sent them. Operations check them. */
export type UntrustedInput = Readonly<Record<string, unknown>>;

/** What a sign-in gives. */
export type SignInResult = {
  /** A bearer token for the app's project. */
  readonly accessToken: string;
  /** Until when the token is good at least: Unix time in milliseconds. */
  readonly expireTimeMs: number;
  readonly app: App;
};

/** A page of projects. */
export type ProjectPage = Page<Project> & {
  /** Returns the page token, which is also the cursor, of an item by its index. */
  cursorAt(index: number): string;
  /** Reads what lies around the page. @throws UNAVAILABLE if the database cannot answer */
  readSurroundings(): Promise<PageSurroundings>;
};

/** Anything that has a place in the API and can be fetched by its name. */
export type Resource = Project | App | Wallet;

/**
 * The operations of the service, which both APIs call. Every one takes the
 * principal that `authenticate` returned, and throws an `ApiError`: INVALID_ARGUMENT
 * that names each field at fault, UNAVAILABLE if the database cannot answer, and
 * what is said of each.
 */
export type DataLayer = {
  /**
   * Finds out whom a bearer token speaks for.
   * @throws UNAUTHENTICATED if it is malformed, unknown, expired or revoked
   */
  authenticate(bearerToken: string): Promise<Principal>;

  /**
   * Creates an app from `title`, `active` and, if not in the principal's default
   * project, `project`. The answer carries the private key.
   * @throws PERMISSION_DENIED if the principal is not an account
   */
  createApp(principal: Principal, input: UntrustedInput): Promise<App>;

  /**
   * Makes an access token for the app `name` with its `privateKey`.
   * @throws UNAUTHENTICATED if there is no such app or the key is another's, and
   *   PERMISSION_DENIED if the app is inactive
   */
  signIn(principal: Principal, input: UntrustedInput): Promise<SignInResult>;

  /**
   * Changes those of `title`, `description`, `project`, `network` and `password`
   * that are sent of the wallet `name`.
   * @throws NOT_FOUND, and RESOURCE_EXHAUSTED if too many passwords are being set at once
   */
  updateWallet(principal: Principal, input: UntrustedInput): Promise<Wallet>;

  /** Returns one page of the projects that the principal can see, in the order of their names. */
  listProjects(principal: Principal, input: ConnectionArguments): Promise<ProjectPage>;

  /**
   * Returns the resources of these names, in their order, with null for what does
   * not exist or the principal cannot see. At most 100 names.
   */
  getResources(principal: Principal, names: readonly ResourceName[]): Promise<readonly (Resource | null)[]>;

  /** Whether the operations can be served. @throws UNAVAILABLE if not */
  checkReady(): Promise<void>;
};
