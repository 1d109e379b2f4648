import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const here = new URL('.', import.meta.url)
const sources = readdirSync(here)
  .filter(name => name.endsWith('.test.ts'))
  .map(name => readFileSync(new URL(name, here), 'utf8'))
  .join('\n')

it('every point of the checklist, C1 to C120, has a test with its number', () => {
  const found = new Set(
    [...sources.matchAll(/'(C\d+(?: C\d+)*)[ ']/g)].flatMap(([, names = '']) => names.split(' ')),
  )
  const missing = Array.from({ length: 120 }, (_, at) => `C${at + 1}`).filter(name => !found.has(name))
  expect(missing).toEqual([])
})
