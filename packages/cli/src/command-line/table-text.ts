/** A column of a table: its head, and whether it holds numbers. */
export interface Column {
  readonly head: string
  readonly right?: boolean
}

/** A table as text: words to the left, numbers to the right, two spaces between. */
export function tableText(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const lines = [columns.map(({ head }) => head), ...rows.map(row => row.map(plain))]
  const widths = columns.map((_, index) => Math.max(...lines.map(line => widthOf(line[index] ?? ''))))
  return lines
    .map(line =>
      columns
        .map(({ right = false }, index) => {
          const cell = line[index] ?? ''
          const space = ' '.repeat((widths[index] ?? 0) - widthOf(cell))
          return right ? space + cell : cell + space
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Names come from callers and administrators: none may steer the terminal. */
function plain(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
}

function widthOf(text: string): number {
  return [...text].length
}
