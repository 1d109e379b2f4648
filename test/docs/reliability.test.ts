import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { figuresOf } from '../resilience/soak/figures.ts'
import { restingResult } from '../resilience/soak/resting-result.ts'
import { type Check, describePage } from './runner/describe-page.ts'
import { fencesOf, readPage, root, tableUnder } from './runner/markdown.ts'

const page = 'docs/reliability.md'

/** The commands take minutes by themselves; here only that they, and what they run, exist. */
const exists: Check = async ({ code }) => {
  const { scripts } = JSON.parse(readPage('package.json'))
  for (const line of code.trim().split('\n')) {
    const [, name = ''] = /^npx -y pnpm (\S+)/.exec(line) ?? []
    const [file = ''] = /\S+\.(?:mjs|ts)\b/.exec(scripts[name]) ?? []
    expect(existsSync(join(root, file)), line).toBe(true)
  }
}

describePage(page, { soak: exists, commands: exists })

it('names faults that are tested', () => {
  const folder = join(root, 'test/resilience/faults')
  const tests = readdirSync(folder).filter(name => name.endsWith('.test.ts'))
  const text = tests.map(name => readFileSync(join(folder, name), 'utf8')).join('\n')
  const tested = new Set(
    [...text.matchAll(/^describe\w*\(\s*['"`]F(\d+) /gm)].map(([, number]) => Number(number)),
  )
  const promised = tableUnder(page, '## Guarantees').flatMap(([, , where = '']) =>
    [...where.matchAll(/F(\d+)(?:-F(\d+))?/g)].flatMap(([, first, last = first]) =>
      span(Number(first), Number(last)),
    ),
  )
  expect(promised.length).toBeGreaterThan(30)
  expect(promised.filter(number => !tested.has(number))).toEqual([])
  expect(readPage(page)).toContain(`one line for each of the ${tested.size} that are tested`)
})

it('tells of codes that the protocol has', () => {
  const codes = tableUnder('docs/errors.md', '## Error codes').map(
    ([, code = '']) => /^\[(.+)\]/.exec(code)?.[1],
  )
  const known = new Set(codes)
  const told = ['Requests', 'Vendors', 'Streams and clients', 'This service'].flatMap(part =>
    tableUnder(page, `### ${part}`).flatMap(([, got = '']) => [...got.matchAll(/\d\d\d (`\w+`)/g)]),
  )
  expect(told.length).toBeGreaterThan(10)
  for (const [, code] of told) expect(known).toContain(code)
})

it('gives each figure that the soak prints', () => {
  const fence = fencesOf(page).find(({ name }) => name === 'figures')
  const given = (fence?.code ?? '').split('\n').filter(line => /^N\d/.test(line))
  const wanted = figuresOf(restingResult).map(({ promise, what }) => plain(`${promise} ${what}`))
  expect(given.map((line, at) => plain(line).startsWith(wanted[at] ?? 'nothing'))).toEqual(
    wanted.map(() => true),
  )
  expect(given.filter(line => line.includes('NOT met'))).toEqual([])
})

/** A line without the counts of its run. */
function plain(line: string): string {
  return line.replaceAll(/\s+/g, ' ').replaceAll(/\d[\d,]*/g, '#')
}

function span(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}
