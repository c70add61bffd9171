import type { ComponentChildren } from 'preact';
import { More, Size, useList } from '../controls/list.tsx';
import { FullId, ResourceLink, shorten } from '../controls/resource-id.tsx';
import { type Column, type Columns, Table, timeColumn } from '../controls/table.tsx';
import { EventsDocument, type EventsQuery, type EventsQueryVariables } from '../generated/documents.ts';
import { useObservable } from '../observable.ts';
import { linkTo, route, setQuery } from '../router.ts';
import { Screen } from '../screen.tsx';
import { ACTIONS, actionText } from '../texts.ts';

type Event = EventsQuery['events']['nodes'][number];

/** The audit events of the account. */
export function Events() {
  const { query } = useObservable(route);
  const { action = '', resource = '', since = '', until = '' } = Object.fromEntries(query);
  const filters = Object.entries({ action, resource, since, until }).filter(([, value]) => value);
  return (
    <Screen title="Events">
      <EventList variables={Object.fromEntries(filters)}>
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
        <TimeField name="since" label="From" value={since} />
        <TimeField name="until" label="Until" value={until} />
        {resource && (
          <p>
            Only of <ResourceLink name={resource} />{' '}
            <button type="button" class="small" onClick={() => setQuery({ resource: '' })}>
              Show all
            </button>
          </p>
        )}
      </EventList>
    </Screen>
  );
}

/** A limit of the times of the events. The address has it in UTC, so its link finds the same events everywhere. */
function TimeField({ name, label, value }: { name: string; label: string; value: string }) {
  const time = new Date(value);
  time.setMinutes(time.getMinutes() - time.getTimezoneOffset());
  return (
    <label>
      {label}{' '}
      <input
        type="datetime-local"
        max="9999-12-31T23:59"
        value={time.toJSON()?.slice(0, 16) ?? ''}
        onChange={({ currentTarget: { value } }) => {
          // A year that is being typed begins with zeros.
          if (!value.startsWith('0')) setQuery({ [name]: new Date(value).toJSON() ?? '' });
        }}
      />
    </label>
  );
}

/** The history of a resource. It is read again when the resource changes. */
export function History({ resource }: { resource: { readonly name: string } }) {
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <EventList key={JSON.stringify(resource)} variables={{ resource: resource.name }}>
        <a href={linkTo(`events?resource=${resource.name}`)}>Filter by action or time</a>
      </EventList>
    </section>
  );
}

type EventListProps = {
  readonly variables: EventsQueryVariables;
  /** What chooses the events. */
  readonly children?: ComponentChildren;
};

function EventList({ variables, children }: EventListProps) {
  const list = useList(EventsDocument, variables, ({ events }) => events);
  const columns: Columns<Event> = [
    {
      title: 'Action',
      cell: ({ action, fields, count }) => (
        <>
          <span>{[actionText(action), ...(fields.length > 0 ? [fields.join(', ')] : [])].join(': ')}</span>{' '}
          {count > 1 && <span class="mark">{count} times</span>}
        </>
      ),
    },
    ...(variables.resource ? [] : [RESOURCE]),
    {
      title: 'By',
      rank: variables.resource ? 2 : 3,
      isSecondLine: variables.resource !== undefined,
      cell: ({ credential, app, by }) => {
        const text = <span title={by}>{shorten(by)}</span>;
        const link = app ? linkTo(app) : credential && '#/tokens';
        return link ? <a href={link}>{text}</a> : text;
      },
    },
    timeColumn('Time', ({ time }) => time),
    ...DETAILS,
  ];
  return (
    <>
      <div class="tools">
        {children}
        <Size list={list} noun="events" />
      </div>
      <Table label="Events" columns={columns} rows={list.nodes} nameOf={({ action }) => actionText(action)} />
      {list.totalCount === 0 && <p class="muted">No events found.</p>}
      <More list={list} />
    </>
  );
}

const RESOURCE: Column<Event> = {
  title: 'Resource',
  rank: 2,
  isSecondLine: true,
  cell: ({ resource, resourceTitle }) => <ResourceLink name={resource} title={resourceTitle} />,
  whole: ({ resource }) => (
    <>
      <FullId text={resource} /> <a href={linkTo(`events?resource=${resource}`)}>Only its events</a>
    </>
  ),
};

/** The values of an event that only the opened row has. */
const DETAILS: readonly Column<Event>[] = [
  { title: 'Fields', rank: 4, cell: ({ fields }) => fields.join(', ') },
  { title: 'Action', rank: 4, cell: ({ action }) => <code>{action}</code> },
  { title: 'Address', rank: 4, cell: ({ address }) => address && <code>{address}</code> },
  { title: 'Token', rank: 4, cell: ({ token }) => token && <FullId text={token} /> },
  {
    title: 'Request ID',
    rank: 4,
    cell: ({ requestId }) => requestId && <FullId text={requestId} label="request ID" />,
  },
];
