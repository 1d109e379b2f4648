/** Prints hosts beside cases, and below what is not as it should be. */
export function printTable(results) {
  const names = Object.keys(results)
  const rows = Array.from(new Set(names.flatMap(name => Object.keys(results[name]))))
  const width = Math.max(...rows.map(row => row.length))
  const line = (title, cells) => `${title.padEnd(width)}  ${cells.join('  ')}`
  console.log(`\n${line('', names)}`)
  for (const row of rows) {
    const cells = names.map(name => markOf(results[name], row).padEnd(name.length))
    console.log(line(row, cells).trimEnd())
  }
}

/** Prints what is not as it should be. */
export function printFaults(name, result) {
  for (const [row, fault] of Object.entries(result)) {
    if (fault !== undefined) console.error(`\n${name}, ${row}: ${fault}\n`)
  }
}

export function hasFault(result) {
  return Object.values(result).some(fault => fault !== undefined)
}

function markOf(result, row) {
  if (!(row in result)) return '-'
  return result[row] === undefined ? 'ok' : 'FAILED'
}
