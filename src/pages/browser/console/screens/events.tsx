import { useState } from 'preact/hooks';
import { Copy } from '../clipboard.tsx';
import { EventsDocument, type EventsQuery, type EventsQueryVariables } from '../generated-documents.ts';
import { More, sizeOf, useList } from '../list.tsx';
import { EVENT_ACTIONS } from '../mount.ts';
import { linkTo } from '../router.ts';
import { Screen } from '../screen.tsx';
import { type Column, Table } from '../table.tsx';
import { Time } from '../time.tsx';

type Event = EventsQuery['events']['nodes'][number];

const COLUMNS: readonly Column<Event>[] = [
  { title: 'Time', cell: ({ time }) => <Time value={time} /> },
  {
    title: 'Action',
    cell: ({ action, count }) => (
      <div>
        {action} {count > 1 && <span class="mark">{count} times</span>}
      </div>
    ),
  },
  {
    title: 'Resource',
    cell: ({ resource, fields, token }) => (
      <div>
        {resource.startsWith('projects/') ? (
          <a href={linkTo(resource)}>
            <code>{resource}</code>
          </a>
        ) : (
          <code>{resource}</code>
        )}
        {fields.length > 0 && <small>Fields: {fields.join(', ')}</small>}
        {token && (
          <small>
            Token: <code>{token}</code>
          </small>
        )}
      </div>
    ),
  },
  {
    title: 'By',
    cell: ({ credential, requestId }) =>
      credential ? <code>{credential}</code> : requestId === null ? 'The operator' : '–',
  },
  { title: 'Address', cell: ({ address }) => address ?? '–' },
  {
    title: 'Request id',
    cell: ({ requestId }) =>
      requestId === null ? (
        '–'
      ) : (
        <div>
          <code>{requestId}</code> <Copy text={requestId} label="request id" />
        </div>
      ),
  },
];

/** The audit events of the account. */
export function Events() {
  const [action, setAction] = useState('');
  const filter = (
    <label>
      Action{' '}
      <select value={action} onChange={({ currentTarget }) => setAction(currentTarget.value)}>
        <option value="">All</option>
        {EVENT_ACTIONS.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
  return (
    <Screen title="Events" aside={filter}>
      <p>What was done in the account, the newest first.</p>
      <EventList key={action} variables={action === '' ? {} : { action }} />
    </Screen>
  );
}

function EventList({ variables }: { variables: EventsQueryVariables }) {
  const list = useList(EventsDocument, variables, ({ events }) => events);
  return (
    <>
      <p class="muted" role="status">
        {sizeOf(list.totalCount, 'event')}
      </p>
      <Table label="Events" columns={COLUMNS} rows={list.nodes} />
      {list.totalCount === 0 && <p class="empty">There are no such events.</p>}
      <More list={list} />
    </>
  );
}
