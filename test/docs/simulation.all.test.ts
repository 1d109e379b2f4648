import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allInvariants } from '@sluice/testing/simulation'
import { expect, it } from 'vitest'
import { fakeCommandContext } from '../../packages/cli/src/fake-command-context.ts'
import { main } from '../../packages/cli/src/main.ts'
import { describePage } from './runner/describe-page.ts'
import { readPage, root, tableUnder } from './runner/markdown.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

const page = 'docs/simulation.md'
const example = (name: string) => readFileSync(join(root, 'docs/simulation', name), 'utf8')

/** Runs a line beside the example, and a second configuration with a fallback for `small`. */
async function simulated(code: string): Promise<string> {
  const cwd = temporaryFolder()
  cpSync(join(root, 'docs/simulation'), cwd, { recursive: true })
  const other = example('sluice.config.yaml').replace(
    'small: openai/gpt-4o-mini',
    'small: [openai/gpt-4o-mini, anthropic/claude-haiku-4-5]',
  )
  writeFileSync(join(cwd, 'other.config.yaml'), other)
  const { context, printed, logged } = fakeCommandContext({ cwd })
  const [, , ...argv] = code.trim().split(' ')
  expect(await main(argv, context), logged()).toBe(0)
  return printed()
}

describePage(page, {
  simulate: async ({ code }) => {
    const printed = await simulated(code)
    const shown = /```text\n([\s\S]*?)```/.exec(readPage(page))![1]!
    // Its figures are those of one version.
    const headsOf = (text: string) =>
      text.split('\n').map(line => /^(?:\S+ )*\S*/.exec(line.trim())![0].replace(/[0-9a-f]{16}$/, ''))
    expect(headsOf(printed)).toEqual(headsOf(shown))
  },
  compare: async ({ code }) => {
    expect(await simulated(code)).toMatch(/sluice\.config\.yaml +other\.config\.yaml/)
  },
  library: async ({ code, run }) => {
    expect(code).toContain('assert.')
    expect((await run()).printed).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
  },
})

it('shows the traffic of the example', () => {
  expect(/```yaml traffic\n([\s\S]*?)```/.exec(readPage(page))![1]).toBe(example('traffic.yaml'))
})

it('explains each row of the report', () => {
  const shown = /```text\n([\s\S]*?)```/.exec(readPage(page))![1]!
  const [sums = '', ...tables] = shown.trim().split('\n\n')
  const labelOf = (line: string) => line.split(/ {2,}/)[0]!
  const labels = [
    ...sums.split('\n').slice(1).map(labelOf),
    ...tables.slice(0, -1).map(table => labelOf(table.split('\n')[0]!)),
  ]
  const rows = tableUnder(page, '## What the report says')
  expect(rows.flatMap(([row]) => row!.split(', '))).toEqual(labels)
  const calls = rows.find(([row]) => row === 'calls of')!
  const columns = tables.at(-2)!.split('\n')[0]!.split(/ {2,}/).slice(1)
  expect(columns).toHaveLength(6)
  for (const column of columns) expect(calls[1]).toContain(column)
})

it('names the invariants, and commands that exist', () => {
  const named = tableUnder(page, '## Invariants').map(([name]) => name)
  const fairness = { quiet: [], noisy: [] }
  expect(named).toEqual(allInvariants({ gateways: 1, fairness }).map(({ name }) => name))
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const commands = [...readPage(page).matchAll(/pnpm (simulate[\w:]*)/g)].map(([, name]) => name!)
  for (const name of commands) expect(scripts).toHaveProperty([name])
  expect(
    execFileSync('git', ['-C', root, 'ls-files', 'test/simulation/planted'], { encoding: 'utf8' })
      .trim()
      .split('\n'),
  ).toHaveLength(3)
})
