/** A column: its head, and a cell for each row. */
export type Column = readonly [head: string, cells: readonly string[]]

/** A table of Markdown. Columns with the same cells are one, under the names of all. */
export function table(corner: string, columns: readonly Column[], rows: readonly string[]): string {
  const merged = new Map<string, { heads: string[]; cells: readonly string[] }>()
  for (const [head, cells] of columns) {
    const key = JSON.stringify(cells)
    const same = merged.get(key)
    if (same === undefined) merged.set(key, { heads: [head], cells })
    else same.heads.push(head)
  }
  const all = [...merged.values()]
  const lines = [
    [corner, ...all.map(({ heads }) => heads.join(', '))],
    ['---', ...all.map(() => '---')],
    ...rows.map((row, index) => [row, ...all.map(({ cells }) => cells[index] ?? '')]),
  ]
  return lines.map(cells => `| ${cells.join(' | ')} |`.replaceAll(' --- ', '---')).join('\n')
}
