import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Result } from '../../../bench/result.ts'
import { rowIds } from '../../../bench/row.ts'
import { temporaryFolder } from '../../docs/runner/temporary-folder.ts'

const root = join(import.meta.dirname, '../../..')

// What it measures in so short a time is worth nothing: it is held that it still measures all, and prints it.
it('the bench prints a figure in each of its rows', () => {
  const file = join(temporaryFolder(), 'figures.json')
  const loader = createRequire(import.meta.url).resolve('tsx')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...['--import', loader, '--conditions=@sluice/source'],
      ...['bench/bench.ts', '--quick', '--sources', '--json', file],
    ],
    { cwd: root, encoding: 'utf8', timeout: 170_000 },
  )
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const { rows, served } = JSON.parse(readFileSync(file, 'utf8')) as Result
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(rowIds))
  for (const { what, figure, goal = '' } of rows) {
    const line = stdout.split('\n').find(line => line.startsWith(`  ${what} `))
    expect(line, what).toContain(figure)
    expect(line).toContain(goal)
    expect(figure, what).toMatch(/^-?[\d.,]+|^p50 |^not measured: (--peers|on what is built only)$/)
    expect(figure).not.toContain('NaN')
  }
  expect(served.length).toBeGreaterThan(5)
  for (const one of served) {
    for (const [name, value] of Object.entries(one)) {
      if (name !== 'name') expect(value, `${name} of ${one.name}`).toBeGreaterThan(0)
    }
  }
})
