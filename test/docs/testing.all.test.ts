import * as testing from '@sluice/testing'
import * as conformance from '@sluice/testing/conformance'
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
    expect((await run()).printed).toEqual(
      conformance.limitStoreConformance.map(({ name }) => `passed: ${name}`),
    )
  },
})

it('names the suites', () => {
  const rows = tableUnder(page, '## Conformance suites')
  const named = rows.map(([name = '']) => /\w+/.exec(name)![0])
  expect(named.sort()).toEqual(Object.keys(conformance).sort())
})

it('names functions that exist', () => {
  const calledIn = (texts: readonly string[], pattern: RegExp) =>
    texts.flatMap(text => [...text.matchAll(pattern)].map(([, name]) => name!))
  const rows = tableUnder(page, '## Fake upstream').map(([step = '']) => step)
  expect(calledIn(rows, /`steps\.(\w+)\(/g).sort()).toEqual(Object.keys(testing.steps).sort())
  const more = calledIn(readPage(page).split('## More tools')[1]!.match(/^- .*/gm)!, /`(\w+)\(/g)
  expect(more.length).toBeGreaterThan(3)
  const exported = new Map<string, unknown>(Object.entries(testing))
  for (const name of more) expect(exported.get(name), name).toBeTypeOf('function')
})
