import './table.css';
import type { ComponentChildren } from 'preact';

/** A column, with the function that draws its cell of a row. */
export type Column<Row> = { readonly title: string; readonly cell: (row: Row) => ComponentChildren };

type TableProps<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
};

/** A table of resources. In a narrow place, each row is a card. */
export function Table<Row extends { readonly name: string }>({ label, columns, rows }: TableProps<Row>) {
  if (rows.length === 0) return null;
  return (
    <div class="table">
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              {columns.map(({ title, cell }) => (
                <td key={title} data-title={title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
