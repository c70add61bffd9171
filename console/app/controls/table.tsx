import type { ComponentChildren } from 'preact';

/** A column, with the function that draws its cell of a row. */
export type Column<Row> = {
  readonly title: string;
  /** Whether its cells are numbers, which are aligned on the right. */
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
};

type TableProps<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
};

/** A table of resources, with a line for each. In a narrow place, each row is a card. */
export function Table<Row extends { readonly name: string }>({ label, columns, rows }: TableProps<Row>) {
  if (rows.length === 0) return null;
  return (
    <div class="table">
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              {columns.map(({ title, isNumber, cell }) => (
                <td key={title} data-title={title} class={isNumber ? 'number' : undefined}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The button of a row. @param of what it is for, in its name */
export function Action({ text, of, onClick }: { text: string; of: string; onClick: () => void }) {
  return (
    <button type="button" aria-label={`${text} ${of}`} onClick={onClick}>
      {text}
    </button>
  );
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
