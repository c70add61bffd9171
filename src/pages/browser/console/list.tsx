import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { TypedDocumentString } from './generated-documents.ts';
import { keep, kept } from './kept.ts';
import { Loading, Problem } from './problem.tsx';
import { type RequestError, request } from './request.ts';
import { route } from './router.ts';
import { useFocusAfter } from './screen.tsx';
import { sessionState } from './session.ts';
import { useStore } from './store.ts';

/** A page of a connection of the API. */
type Connection<Node> = {
  readonly totalCount: number;
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
};

/** The variables of a list. The document has a default for `first`. */
type PageVariables = { first?: number | null | undefined; after?: string | null | undefined };

/** The loaded part of a list. */
export type List<Node> = {
  readonly nodes: readonly Node[];
  /** Undefined before the first page. */
  readonly totalCount?: number;
  readonly hasMore: boolean;
  readonly failure?: { readonly error: RequestError; readonly retry: () => void };
  /** Loads the next page, unless a page is being loaded. @param first its size */
  readonly loadMore: (first?: number) => void;
  /** Loads the first page again. The nodes stay until then. */
  readonly reload: () => void;
  /** Changes the loaded nodes as a mutation has changed them. */
  readonly change: (edit: (nodes: readonly Node[]) => readonly Node[]) => void;
};

type Loaded<Node> = Omit<List<Node>, 'loadMore' | 'reload' | 'change'> & { readonly after: string | null };

/**
 * Loads the first page of a list, and loads it again when its variables or the token change. On the way back, the loaded
 * part is there at once.
 *
 * @param connectionOf returns the connection in an answer; undefined for an empty list
 */
export function useList<Data, Variables extends PageVariables, Node>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  connectionOf: (data: Data) => Connection<Node> | undefined,
): List<Node> {
  const { session } = useStore(sessionState);
  const { entry } = useStore(route);
  const key = `${entry} ${document} ${JSON.stringify(variables)}`;
  const [list, setList] = useState<Loaded<Node>>(kept(key) ?? { nodes: [], hasMore: true, after: null });
  const [attempt, setAttempt] = useState(0);
  // The page that is being loaded. The answer of an earlier one is ignored.
  const pending = useRef<symbol | undefined>(undefined);
  const isRestored = useRef(list.totalCount !== undefined);

  const load = async (page: PageVariables) => {
    const current = Symbol();
    pending.current = current;
    setList(({ failure, ...before }) => before);
    try {
      const connection = connectionOf(await request(document, { ...variables, ...page }));
      if (pending.current !== current) return;
      const { nodes = [], totalCount = 0, pageInfo } = connection ?? {};
      const { hasNextPage = false, endCursor = null } = pageInfo ?? {};
      setList((before) => ({
        nodes: page.after ? [...before.nodes, ...nodes] : nodes,
        totalCount,
        hasMore: hasNextPage,
        after: endCursor,
      }));
    } catch (error) {
      if (pending.current !== current) return;
      const failure = { error: error as RequestError, retry: () => load(page) };
      // The rows of other variables would look like the answer.
      setList((before) => ({ ...before, ...(!page.after && { nodes: [] }), failure }));
    } finally {
      if (pending.current === current) pending.current = undefined;
    }
  };

  useEffect(() => {
    if (!isRestored.current) load({});
    isRestored.current = false;
  }, [key, session, attempt]);
  useEffect(
    () => () => {
      pending.current = undefined;
    },
    [],
  );
  useEffect(() => {
    if (list.totalCount !== undefined && !list.failure && pending.current === undefined) keep(key, list);
  }, [list]);

  const loadMore = (first?: number) => {
    if (pending.current !== undefined || !list.hasMore) return;
    load({ ...(first && { first }), after: list.after });
  };
  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  const change: List<Node>['change'] = (edit) =>
    setList((before) => {
      const nodes = edit(before.nodes);
      return { ...before, nodes, totalCount: (before.totalCount ?? 0) + nodes.length - before.nodes.length };
    });
  return { ...list, loadMore, reload, change };
}

/** The end of a list: loads the next page when it comes into view, and shows an error. */
export function More({ list }: { list: Omit<List<unknown>, 'change'> }) {
  const { totalCount, hasMore, failure } = list;
  if (failure) return <Problem error={failure.error} onRetry={failure.retry} />;
  if (totalCount !== undefined) return hasMore && <ShowMore list={list} />;
  return <Loading />;
}

function ShowMore({ list: { nodes, loadMore } }: { list: Pick<List<unknown>, 'nodes' | 'loadMore'> }) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusAfter(button);
  const latest = useRef(loadMore);
  latest.current = loadMore;
  useEffect(() => {
    if (button.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && latest.current(),
      { rootMargin: '400px' },
    );
    observer.observe(button.current);
    return () => observer.disconnect();
    // An observer reports an element that stays in view only once, so each page needs another one.
  }, [nodes]);
  return (
    <button ref={button} type="button" onClick={() => loadMore()}>
      Show more
    </button>
  );
}

/** The size of a list in words. @param noun gets an `s` in the plural */
export function Size({ list, noun }: { list: Pick<List<unknown>, 'totalCount'>; noun: string }) {
  const { totalCount } = list;
  const count = totalCount?.toLocaleString('en');
  return (
    <p class="muted" role="status">
      {count && `${count} ${noun}${totalCount === 1 ? '' : 's'}`}
    </p>
  );
}
