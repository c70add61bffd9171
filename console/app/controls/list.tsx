import { useEffect, useRef, useState } from 'preact/hooks';
import type { TypedDocumentString } from '../generated/documents.ts';
import { useObservable } from '../observable.ts';
import { Loading, Problem } from '../query-status.tsx';
import { type RequestError, request } from '../request.ts';
import { useFocusAfter } from '../screen.tsx';
import { sessionState } from '../session.ts';
import { counted, type Noun } from '../texts.ts';
import { ShowRequest } from './show-request.tsx';

/** A page of a connection of the API. */
type Connection<Node> = {
  readonly totalCount: number;
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
};

/** The loaded part of a list. Without a total count, it has none yet. */
type Loaded<Node> = Partial<Omit<Connection<Node>, 'nodes'>> & {
  readonly nodes: readonly Node[];
  /** Why the next page is not there. */
  readonly error?: RequestError;
};

/** A list, and how it continues. */
export type List<Node> = Loaded<Node> & {
  /** Loads the next page, unless a page is being loaded. */
  readonly loadMore: () => void;
  /** Requests the first page, without a change of the list. */
  readonly read: () => Promise<unknown>;
  /** Loads the first page again. The nodes stay until then. */
  readonly reload: () => void;
  /** Changes the loaded nodes as a mutation has changed them. */
  readonly change: (edit: (nodes: readonly Node[]) => readonly Node[]) => void;
};

/**
 * Loads the first page of a list, and loads it again when its variables or the token change.
 *
 * @param connectionOf returns the connection in an answer; undefined for an empty list
 */
export function useList<Data, Variables extends { after?: string | null | undefined }, Node>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  connectionOf: (data: Data) => Connection<Node> | undefined,
): List<Node> {
  const { session } = useObservable(sessionState);
  const [list, setList] = useState<Loaded<Node>>({ nodes: [] });
  const [attempt, setAttempt] = useState(0);
  // The page that is being loaded. The answer of an earlier one is ignored.
  const pending = useRef<symbol | undefined>(undefined);

  const read = (after: string | null) => request(document, { ...variables, after });
  const load = async (after: string | null) => {
    const current = Symbol();
    pending.current = current;
    setList(({ error, ...before }) => before);
    const change = await read(after).then(
      (data) => (before: Loaded<Node>) => {
        const { nodes, ...page } = connectionOf(data) ?? { nodes: [], totalCount: 0 };
        return { ...page, nodes: after === null ? nodes : [...before.nodes, ...nodes] };
      },
      // The rows of other variables would look like the answer.
      (error: RequestError) => (before: Loaded<Node>) =>
        after === null ? { nodes: [], error } : { ...before, error },
    );
    if (pending.current !== current) return;
    pending.current = undefined;
    setList(change);
  };
  useEffect(() => {
    load(null);
    return () => {
      pending.current = undefined;
    };
  }, [document, JSON.stringify(variables), session, attempt]);

  return {
    ...list,
    loadMore: () => void (pending.current ?? load(list.pageInfo?.endCursor ?? null)),
    read: () => read(null),
    reload: () => setAttempt((count) => count + 1),
    change: (edit) =>
      setList((before) => {
        const nodes = edit(before.nodes);
        return {
          ...before,
          nodes,
          totalCount: (before.totalCount ?? 0) + nodes.length - before.nodes.length,
        };
      }),
  };
}

/** The end of a list: loads the next page when it comes into view, and shows an error. */
export function More({ list }: { list: Pick<List<unknown>, keyof Loaded<unknown> | 'loadMore'> }) {
  if (list.error) return <Problem error={list.error} onRetry={list.loadMore} />;
  if (list.totalCount === undefined) return <Loading />;
  return list.pageInfo?.hasNextPage ? <ShowMore list={list} /> : null;
}

function ShowMore({ list: { nodes, loadMore } }: { list: Pick<List<unknown>, 'nodes' | 'loadMore'> }) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusAfter(button);
  useEffect(() => {
    if (button.current === null) return;
    const show = (entries: IntersectionObserverEntry[]) =>
      entries.some(({ isIntersecting }) => isIntersecting) && loadMore();
    const observer = new IntersectionObserver(show, { rootMargin: '400px' });
    observer.observe(button.current);
    return () => observer.disconnect();
    // An observer reports an element that stays in view only once, so each page needs another one.
  }, [nodes]);
  return (
    <button ref={button} type="button" onClick={loadMore}>
      Show more
    </button>
  );
}

type SizeOf = Pick<List<unknown>, 'totalCount' | 'read'>;

/** The size of a list in words, and its request. */
export function Size({ list: { totalCount, read }, noun }: { list: SizeOf; noun: Noun }) {
  return (
    <>
      <p class="muted" role="status">
        {totalCount !== undefined && counted(totalCount, noun)}
      </p>
      <ShowRequest send={read} />
    </>
  );
}
