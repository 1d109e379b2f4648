import * as testing from '@sluice/testing'
import { expect, it } from 'vitest'
import { type Check, describePage } from './runner/describe-page.ts'
import { readPage, tableUnder } from './runner/markdown.ts'

const page = 'docs/testing.md'

/** The snippet asserts by itself: that it runs to its end is the test. */
const holds: Check = async ({ code, run }) => {
  expect(code).toContain('assert.')
  await run()
}

describePage(page, {
  'in-process': holds,
  scripted: holds,
  misbehaving: holds,
  conformance: async ({ run }) => {
    expect((await run()).printed).toEqual(testing.limitStoreConformance.map(({ name }) => `holds: ${name}`))
  },
})

it('names the suites for stores', () => {
  const rows = tableUnder(page, '## Store conformance tests')
  const suites = Object.keys(testing).filter(name => name.endsWith('Conformance'))
  expect(rows.map(([name = '']) => name.replaceAll('`', '')).sort()).toEqual(suites.sort())
})

it('names functions that exist', () => {
  const exported = new Map<string, unknown>(Object.entries(testing))
  const steps = tableUnder(page, '## Fake upstream').map(([step = '']) => step)
  const more = readPage(page).split('## Other tools')[1]!.match(/^- .*/gm)!
  const names = [...steps, ...more].flatMap(text => [...text.matchAll(/`(\w+)\(/g)].map(([, name]) => name!))
  expect(names.length).toBeGreaterThan(15)
  for (const name of names) expect(exported.get(name), name).toBeTypeOf('function')
})
