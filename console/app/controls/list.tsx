import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ProjectsQuery, ProjectsQueryVariables, TypedDocumentString } from '../generated/documents.ts';
import { useObservable } from '../observable.ts';
import { keptPlace, showPlace } from '../place.ts';
import { Loading, Problem } from '../query-status.tsx';
import { type RequestError, request } from '../request.ts';
import { route, setQuery } from '../router.ts';
import { Actions, notify, useFocusAfter } from '../screen.tsx';
import { sessionState } from '../session.ts';
import { counted, type Noun } from '../texts.ts';
import { ResourceLink } from './resource-id.tsx';
import { ShowRequest } from './show-request.tsx';

const PAGE_SIZE = 24;

// The maximum of the API.
const MAX_PAGE_SIZE = 100;

/** A page of a connection of the API. */
type Connection<Node> = {
  readonly totalCount: number;
  readonly nodes: readonly Node[];
  readonly pageInfo: ProjectsQuery['projects']['pageInfo'];
};

/** The variables of a page, in either direction. */
type Paging = Pick<ProjectsQueryVariables, 'first' | 'after' | 'last' | 'before'>;

/** The loaded part of a list. Without a total count, it has none yet. */
type Loaded<Node> = {
  readonly nodes: readonly Node[];
  readonly totalCount?: number;
  /** The cursor of the next page, if there is one. */
  readonly next?: string | null;
  /** Why the next page is not there. */
  readonly error?: RequestError;
};

/** A list, and how it continues. */
export type List<Node> = Loaded<Node> & {
  /** Loads the next page, unless a page is being loaded. */
  readonly loadMore: () => void;
  /** Requests the first page, without a change of the list. */
  readonly read: () => Promise<unknown>;
  /** Shows a resource that was created: its link in a message, and its row as the first. */
  readonly showCreated: (resource: ComponentProps<typeof ResourceLink>) => void;
  /** Changes the loaded nodes as a mutation has changed them. */
  readonly change: (edit: (nodes: readonly Node[]) => readonly Node[]) => void;
};

/** The properties of a dialog that creates a resource of a list. */
export type CreateProps = {
  readonly onCreated: List<unknown>['showCreated'];
  readonly onClose: () => void;
};

/**
 * Loads the first page of a list, and loads it again when its variables, its order in the address, or the token change. If
 * the user left the screen before, it loads as many rows, and shows the place.
 *
 * @param connectionOf returns the connection in an answer; undefined for an empty list
 */
export function useList<Data, Variables extends Paging, Node>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  connectionOf: (data: Data) => Connection<Node> | undefined,
): List<Node> {
  const { session } = useObservable(sessionState);
  const isReversed = useObservable(route).query.has('order');
  const [list, setList] = useState<Loaded<Node>>({ nodes: [] });
  const [attempt, setAttempt] = useState(0);
  // The page that is being loaded. The answer of an earlier one is ignored.
  const pending = useRef<symbol | undefined>(undefined);

  const read = async (paging: Paging) => connectionOf(await request(document, { ...variables, ...paging }));
  const load = async (cursor?: string | null) => {
    const place = cursor ? null : keptPlace();
    const current = Symbol();
    pending.current = current;
    setList(({ error, ...before }) => before);
    const change = await readRows(read, isReversed, cursor, place?.rows).then(
      (rows) => (before: Loaded<Node>) =>
        cursor ? { ...rows, nodes: [...before.nodes, ...rows.nodes] } : rows,
      // The rows of other variables would look like the answer.
      (error: RequestError) => (before: Loaded<Node>) =>
        cursor ? { ...before, error } : { nodes: [], error },
    );
    if (pending.current !== current) return;
    pending.current = undefined;
    setList(change);
    // By then, the rows are drawn.
    if (place) requestAnimationFrame(() => showPlace(place));
  };
  useEffect(() => {
    load();
    return () => {
      pending.current = undefined;
    };
  }, [document, JSON.stringify(variables), session, attempt, isReversed]);

  return {
    ...list,
    loadMore: () => void (pending.current ?? load(list.next)),
    read: () => readRows(read, isReversed),
    showCreated: (resource) => {
      setAttempt((count) => count + 1);
      setQuery({ order: 'reversed' });
      notify(['Created “', <ResourceLink key="link" {...resource} />, '”.']);
    },
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

/** Reads the page at a cursor, or as many rows as are wanted from there on. */
async function readRows<Node>(
  read: (paging: Paging) => Promise<Connection<Node> | undefined>,
  isReversed: boolean,
  cursor?: string | null,
  wanted = 0,
): Promise<Loaded<Node>> {
  const size = Math.min(Math.max(wanted, PAGE_SIZE), MAX_PAGE_SIZE);
  const connection = await read(isReversed ? { last: size, before: cursor } : { first: size, after: cursor });
  const { nodes = [], totalCount = 0, pageInfo } = connection ?? {};
  const page = isReversed
    ? { nodes: nodes.toReversed(), totalCount, next: pageInfo?.hasPreviousPage ? pageInfo.startCursor : null }
    : { nodes, totalCount, next: pageInfo?.hasNextPage ? pageInfo.endCursor : null };
  if (!page.next || wanted <= size) return page;
  const others = await readRows(read, isReversed, page.next, wanted - size);
  return { ...others, nodes: [...page.nodes, ...others.nodes] };
}

/** The end of a list: loads the next page when it comes into view, and shows an error. */
export function More({ list }: { list: Pick<List<unknown>, keyof Loaded<unknown> | 'loadMore'> }) {
  if (list.error) return <Problem error={list.error} onRetry={list.loadMore} />;
  if (list.totalCount === undefined) return <Loading />;
  return list.next ? <ShowMore list={list} /> : null;
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

type SizeProps = { readonly list: Pick<List<unknown>, 'totalCount' | 'read'>; readonly noun: Noun };

/** The size of a list in words, and its request. */
export function Size({ list: { totalCount, read }, noun }: SizeProps) {
  return (
    <>
      <p class="muted" role="status">
        {totalCount !== undefined && counted(totalCount, noun)}
      </p>
      <ShowRequest send={read} />
    </>
  );
}

type CreateButtonProps = {
  readonly list: Pick<List<unknown>, 'showCreated'>;
  readonly text: string;
  /** Draws the dialog while it is open. */
  readonly draw: (props: CreateProps) => ComponentChildren;
};

/** A button of a list, and the dialog that it opens to create a resource. */
export function CreateButton({ list, text, draw }: CreateButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const onClose = () => setIsOpen(false);
  const onCreated: CreateProps['onCreated'] = (resource) => {
    list.showCreated(resource);
    onClose();
  };
  return (
    <>
      <Actions primary={text} of={{ [text]: () => setIsOpen(true) }} />
      {isOpen && draw({ onCreated, onClose })}
    </>
  );
}
