import { Copy } from '../controls/clipboard.tsx';
import { More, Size, useList } from '../controls/list.tsx';
import { Resource, shorten } from '../controls/name.tsx';
import { type Column, Properties, Table } from '../controls/table.tsx';
import { Time } from '../controls/time.tsx';
import {
  EventsDocument,
  type EventsQuery,
  type EventsQueryVariables,
  TokensDocument,
} from '../generated/documents.ts';
import { useQuery } from '../query.ts';
import { route, setQuery } from '../router.ts';
import { Screen } from '../screen.tsx';
import { useStore } from '../store.ts';
import { ACTIONS, actionText } from '../words.ts';

type Event = EventsQuery['events']['nodes'][number];

/** The audit events of the account. */
export function Events() {
  const { query } = useStore(route);
  const [action, resource] = [query.get('action') ?? '', query.get('resource') ?? ''];
  return (
    <Screen title="Events">
      <div class="heading">
        <label>
          Action{' '}
          <select value={action} onChange={({ currentTarget }) => setQuery({ action: currentTarget.value })}>
            <option value="">All</option>
            {Object.entries(ACTIONS).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {resource && (
          <p>
            Only of <Resource name={resource} />{' '}
            <button type="button" class="small" onClick={() => setQuery({ resource: '' })}>
              Show all
            </button>
          </p>
        )}
      </div>
      <EventList variables={{ ...(action && { action }), ...(resource && { resource }) }} />
    </Screen>
  );
}

/** What was done to a resource. It is read again when the resource changes. */
export function History({ resource }: { resource: { readonly name: string } }) {
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <EventList key={JSON.stringify(resource)} variables={{ resource: resource.name }} />
    </section>
  );
}

function EventList({ variables }: { variables: EventsQueryVariables }) {
  const list = useList(EventsDocument, variables, ({ events }) => events);
  // Who did it, as long as their token is valid.
  const { data } = useQuery(TokensDocument, { first: 100 });
  const tokens = new Map(data?.tokens.nodes.map((token) => [token.name, token]));
  const columns: readonly Column<Event>[] = [
    { title: 'Time', cell: ({ time }) => <Time value={time} /> },
    { title: 'Act', cell: ActCell },
    ...(variables.resource ? [] : [RESOURCE]),
    {
      title: 'By',
      cell: ({ credential, requestId }) => {
        const token = tokens.get(credential ?? '');
        if (token?.app) return <Resource {...token.app} />;
        if (credential) return <a href="#/tokens">{token?.title || shorten(credential)}</a>;
        return requestId === null ? 'The operator' : 'A sign-in by OAuth';
      },
    },
  ];
  return (
    <>
      <Size list={list} noun="events" />
      <Table label="Events" columns={columns} rows={list.nodes} />
      {list.totalCount === 0 && <p class="muted">There are no such events.</p>}
      <More list={list} />
    </>
  );
}

const RESOURCE: Column<Event> = {
  title: 'Resource',
  cell: ({ resource, resourceTitle }) => <Resource name={resource} title={resourceTitle} />,
};

/** The act, which opens the rest of the event. */
function ActCell({ action, count, resource, fields, token, address, requestId, time }: Event) {
  const texts = { Action: action, Resource: resource, Fields: fields.join(', '), Token: token };
  const known = Object.entries({ ...texts, Address: address, Time: time }).filter(([, value]) => value);
  const id = requestId && (
    <>
      <code>{requestId}</code> <Copy text={requestId} label="request id" />
    </>
  );
  return (
    <details>
      <summary>
        {actionText(action)} {count > 1 && <span class="mark">{count} times</span>}
      </summary>
      <Properties
        of={{
          ...Object.fromEntries(known.map(([title, value]) => [title, <code key={title}>{value}</code>])),
          ...(id && { 'Request id': id }),
        }}
      />
    </details>
  );
}
