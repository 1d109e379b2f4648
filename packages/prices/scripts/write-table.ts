import { writeFileSync } from 'node:fs'
import { reducedTable } from './reduced-table.ts'

// Writes the bundled table from the installed version of @pydantic/genai-prices, which has no date of its own: it is that of
// its publication, as `npm view @pydantic/genai-prices time` prints it.
// tsx --conditions=@sluice/source packages/prices/scripts/write-table.ts 2026-09-23

const [date = ''] = process.argv.slice(2)
if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw new Error('expected the date of the prices, such as 2026-09-23')

const rows = Object.entries(await reducedTable()).map(
  ([id, json]) => `  ${JSON.stringify(id)}:\n    ${quoted(json)},`,
)
const text = `// Written by scripts/write-table.ts from the data of @pydantic/genai-prices (MIT licence, copyright (c) Pydantic Services
// Inc. 2025 to present; see the README). A provider is one JSON text, which is parsed when it is first used.

/** The date of the bundled prices. */
export const pricesUpdatedAt = '${date}'

/** The prices of each provider as JSON: a \`ProviderPrices\` without its id. */
export const bundledTable: Readonly<Record<string, string>> = {
${rows.join('\n')}
}
`
writeFileSync(new URL('../src/bundled-table.ts', import.meta.url), text)

function quoted(json: string): string {
  return `'${json.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
