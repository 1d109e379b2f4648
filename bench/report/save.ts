import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Result } from '../result.ts'
import { chartOf } from './chart.ts'
import { pageOf } from './page.ts'

const kept = fileURLToPath(new URL('../results', import.meta.url))
const docs = fileURLToPath(new URL('../../docs', import.meta.url))

/** Keeps a run by its Node's major version, and writes the page and its chart from all that are kept. */
export function save(result: Result): void {
  mkdirSync(kept, { recursive: true })
  const major = Number.parseInt(result.node, 10)
  writeFileSync(join(kept, `${major}.json`), `${JSON.stringify(result, null, 2)}\n`)
  const results = readdirSync(kept)
    .filter(name => name.endsWith('.json'))
    .map(name => JSON.parse(readFileSync(join(kept, name), 'utf8')) as Result)
    .sort((a, b) => Number.parseInt(a.node, 10) - Number.parseInt(b.node, 10))
  writeFileSync(join(docs, 'performance.svg'), chartOf(results))
  const page = join(docs, 'performance.md')
  writeFileSync(page, pageOf(readFileSync(page, 'utf8'), results))
  console.log(`\nKept in bench/results/${major}.json; docs/performance.md and its chart are written anew.`)
}
