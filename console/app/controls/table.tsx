import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useObservable } from '../observable.ts';
import { keptPlace } from '../place.ts';
import { route, setQuery } from '../router.ts';
import { useUniqueId } from '../unique-id.ts';
import { Time } from './time.tsx';

type Order = 'ascending' | 'descending';

/** The orders of a list in the API, forwards and backwards, by the title of the column of the time that it is sorted by. */
const ORDERS: Readonly<Record<string, readonly [Order, Order]>> = {
  Created: ['ascending', 'descending'],
  Time: ['descending', 'ascending'],
};

/** A column, with the function that draws its cell of a row. */
export type Column<Row> = {
  readonly title: string;
  /** Which tables leave it out: 2 the narrow ones, 3 also the ones of middle width, 4 all. The first column has none. */
  readonly rank?: 2 | 3 | 4;
  /** Whether a narrow table has its cell as a second line of the first column; a text is put before it. */
  readonly isSecondLine?: boolean | string;
  /** Whether its texts are long. It gets the remaining space then, instead of the first column. */
  readonly isLong?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
  /** The value in the row that opens, such as a whole address. */
  readonly whole?: (row: Row) => ComponentChildren;
};

/** The columns of a table, the first of which has the name of a row. */
export type Columns<Row> = readonly [Column<Row>, ...Column<Row>[]];

type TableProps<Row> = {
  readonly label: string;
  readonly columns: Columns<Row>;
  readonly rows: readonly Row[];
  /** Returns the name of a row, for the names of its buttons. */
  readonly nameOf: (row: Row) => string;
  /** The action of a row. */
  readonly action?: Action<Row> | false;
};

type Named = { readonly name: string };

type Action<Row> = {
  readonly text: string;
  readonly isEnding?: boolean;
  readonly onClick: (row: Row) => void;
};

/**
 * A table of resources, with a line for each. It has the columns that fit, and each row opens, with all that there is of
 * it. A title that is cut is whole in a row that is open.
 */
export function Table<Row extends Named>(props: TableProps<Row>) {
  const { label, columns, rows, action } = props;
  const isReversed = useObservable(route).query.has('order');
  const reverse = () => setQuery({ order: isReversed ? '' : 'reversed' });
  if (rows.length === 0) return null;
  const [first, ...others] = columns;
  return (
    <div class="table">
      <table aria-label={label}>
        <thead>
          <tr>
            <td />
            <th scope="col">{first.title}</th>
            {others.filter(isInLine).map(({ title, rank, isLong }) => (
              <th
                key={title}
                scope="col"
                data-rank={rank}
                class={isLong ? 'long' : undefined}
                aria-sort={ORDERS[title]?.[isReversed ? 1 : 0]}
              >
                {ORDERS[title] ? (
                  <button type="button" onClick={reverse}>
                    {title}
                  </button>
                ) : (
                  title
                )}
              </th>
            ))}
            {action && <td data-rank={2} />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Line key={row.name} {...props} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A row, and the one that it opens. */
function Line<Row extends Named>({ row, columns, nameOf, action }: TableProps<Row> & { readonly row: Row }) {
  const id = useUniqueId();
  const [isOpen, setIsOpen] = useState(() => keptPlace()?.open.includes(row.name) ?? false);
  const [first, ...others] = columns;
  const second = others.find(({ isSecondLine }) => isSecondLine);
  const button = action && (
    <button
      type="button"
      class={action.isEnding ? 'ends' : undefined}
      aria-label={`${action.text} ${nameOf(row)}`}
      onClick={() => action.onClick(row)}
    >
      {action.text}
    </button>
  );
  return (
    <>
      <tr data-name={row.name}>
        <td>
          <button
            type="button"
            class="turn"
            aria-label={`More of ${nameOf(row)}`}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setIsOpen(!isOpen)}
          />
        </td>
        <th scope="row" class="title">
          <div>{first.cell(row)}</div>
          {second && (
            <small>
              {second.isSecondLine}
              {second.cell(row)}
            </small>
          )}
        </th>
        {others.filter(isInLine).map(({ title, rank, isLong, cell }) => (
          <td key={title} data-rank={rank} class={isLong ? 'long' : undefined}>
            <div>{cell(row)}</div>
          </td>
        ))}
        {button && <td data-rank={2}>{button}</td>}
      </tr>
      {isOpen && (
        <tr id={id} class="rest" data-name={row.name}>
          <td />
          <td colSpan={others.length + 2}>
            <Facts row={row} columns={others} />
            {button && <div class="narrow">{button}</div>}
          </td>
        </tr>
      )}
    </>
  );
}

/** Returns a column of times, which are exact in the row that opens. */
export function timeColumn<Row>(title: string, timeOf: (row: Row) => string, rank?: 3): Column<Row> {
  return {
    title,
    ...(rank && { rank }),
    cell: (row) => <Time value={timeOf(row)} />,
    whole: (row) => <Time value={timeOf(row)} isExact />,
  };
}

/** The values of a row, in its columns and beyond. */
function Facts<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  const facts = columns.map(({ title, isLong, cell, whole = cell }) => {
    const value = whole(row);
    return [title, value && isLong ? <p>{value}</p> : value] as const;
  });
  return <Properties of={Object.fromEntries(facts.filter(([, value]) => value !== null && value !== ''))} />;
}

function isInLine({ rank }: { readonly rank?: number }): boolean {
  return rank !== 4;
}

/** The properties of one resource, by their titles. */
export function Properties({ of }: { of: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="properties">
      {Object.entries(of).map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
